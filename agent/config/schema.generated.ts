// Made by config/generate-validator.mjs from config/ovn.schema.json; never edit.
export const ovnSchema = {
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "ovn.yaml",
  "description": "Settings of the node's uplink, of Open vSwitch and of the ovn-kubernetes manifests. Absent or empty: every default.",
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "disableOVSInit": {
      "description": "true: br-ex is left alone and has to be built by hand before ovn-kubernetes starts.",
      "type": "boolean",
      "default": false
    },
    "mtu": {
      "description": "MTU of the pods' network in bytes: a number where MicroShift brings its own ovn-kubernetes, which does not start with anything else. With network.cniPlugin: none also auto: as large as the uplink's MTU allows.",
      "anyOf": [
        {
          "type": "integer",
          "minimum": 68,
          "maximum": 65535
        },
        {
          "const": "auto"
        }
      ],
      "default": 1400
    },
    "uplink": {
      "description": "Device that becomes the uplink of br-ex: auto chooses it, none builds br-ex without one, anything else is the exact name of an interface: 1 to 15 bytes without '/', ':' or spaces.",
      "title": "auto, none or the name of an interface",
      "type": "string",
      "pattern": "^(?!\\.{1,2}$)[^/:\\s]{1,15}$",
      "default": "auto"
    },
    "persist": {
      "description": "Does nothing any more; accepted because configurations of 0.1.0 have it. Profiles of ours live in memory, and every boot starts from the admin's own.",
      "type": "boolean",
      "default": false
    },
    "ovsInit": {
      "description": "Older spelling of the bridge settings; one setting may stand in both places only with the same value.",
      "type": "object",
      "additionalProperties": false,
      "default": {},
      "properties": {
        "disableOVSInit": {
          "description": "Older spelling of the top-level disableOVSInit.",
          "type": "boolean",
          "default": false
        },
        "gatewayInterface": {
          "description": "Older spelling of uplink: the exact name of an interface. Empty: unset.",
          "title": "the name of an interface or empty",
          "type": "string",
          "pattern": "^((?!\\.{1,2}$)[^/:\\s]{1,15})?$",
          "default": ""
        },
        "externalGatewayInterface": {
          "description": "Device that becomes the uplink of the second bridge, br-ex1. Empty: /etc/ovnk/extra_bridge decides.",
          "title": "the name of an interface or empty",
          "type": "string",
          "pattern": "^((?!\\.{1,2}$)[^/:\\s]{1,15})?$",
          "default": ""
        }
      }
    },
    "ovs": {
      "description": "Resources of the Open vSwitch daemons.",
      "type": "object",
      "additionalProperties": false,
      "default": {},
      "properties": {
        "cpuAffinity": {
          "description": "CPUs that ovsdb-server and ovs-vswitchd may run on: a number or a list such as 0-1,4. none: all of them.",
          "anyOf": [
            {
              "type": "integer",
              "minimum": 0,
              "maximum": 8191
            },
            {
              "title": "a CPU list such as \"0-1,4\"",
              "type": "string",
              "pattern": "^(?=.{1,256}$)(0|[1-9][0-9]{0,3})(-(0|[1-9][0-9]{0,3}))?([, ] ?(0|[1-9][0-9]{0,3})(-(0|[1-9][0-9]{0,3}))?)*$"
            },
            {
              "const": "none"
            }
          ],
          "default": "0"
        },
        "handlerThreads": {
          "description": "Threads of ovs-vswitchd that handle packets without a flow. auto: left to Open vSwitch.",
          "anyOf": [
            {
              "type": "integer",
              "minimum": 1,
              "maximum": 1024
            },
            {
              "const": "auto"
            }
          ],
          "default": 1
        },
        "revalidatorThreads": {
          "description": "Threads of ovs-vswitchd that revalidate flows. auto: left to Open vSwitch.",
          "anyOf": [
            {
              "type": "integer",
              "minimum": 1,
              "maximum": 1024
            },
            {
              "const": "auto"
            }
          ],
          "default": 1
        },
        "lockMemory": {
          "description": "true: the daemons lock all their memory (mlockall). false: they may be paged, which keeps them small.",
          "type": "boolean",
          "default": false
        },
        "datapathType": {
          "description": "system: the kernel's data path. netdev: Open vSwitch's userspace data path, for kernels that cannot carry OVN.",
          "enum": [
            "system",
            "netdev"
          ],
          "default": "system"
        }
      }
    },
    "manifests": {
      "description": "The ovn-kubernetes objects that microshift-net renders and applies.",
      "type": "object",
      "additionalProperties": false,
      "default": {},
      "properties": {
        "flavor": {
          "description": "Which set of objects: auto follows uplink.",
          "enum": [
            "auto",
            "classic",
            "no-uplink",
            "multi-node",
            "interconnect"
          ],
          "default": "auto"
        },
        "image": {
          "description": "Image of the ovn-kubernetes containers. Empty: the one in MicroShift's own release information.",
          "title": "an image reference such as quay.io/example/ovn-kubernetes:4.20, or empty",
          "type": "string",
          "pattern": "^([A-Za-z0-9\\[][A-Za-z0-9._:/@+\\[\\]-]{0,510})?$",
          "default": ""
        },
        "imagePullPolicy": {
          "description": "When the kubelet pulls that image.",
          "enum": [
            "IfNotPresent",
            "Always",
            "Never"
          ],
          "default": "IfNotPresent"
        }
      }
    },
    "overlay": {
      "description": "A network of our own for a small cluster, on OVN with one central node: microshift-net overlay.",
      "type": "object",
      "additionalProperties": false,
      "default": {},
      "properties": {
        "nodeName": {
          "description": "The node's name in the cluster, which is the kubelet's. Empty: the host name in small letters.",
          "title": "the name of a node (RFC 1123) or empty",
          "type": "string",
          "pattern": "^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$",
          "default": ""
        },
        "clusterSubnet": {
          "description": "Address range of which every node gets a part; with a comma between them one of each family. Empty: MicroShift's network.clusterNetwork. Read on the central node.",
          "title": "an address range such as 10.42.0.0/16, one of each family with a comma between them, or empty",
          "type": "string",
          "pattern": "^([0-9A-Fa-f.:]{2,39}/[0-9]{1,3}(, ?[0-9A-Fa-f.:]{2,39}/[0-9]{1,3})?)?$",
          "default": ""
        },
        "serviceSubnet": {
          "description": "Address range of the services. Empty: MicroShift's network.serviceNetwork. Read on the central node.",
          "title": "an address range such as 10.43.0.0/16, one of each family with a comma between them, or empty",
          "type": "string",
          "pattern": "^([0-9A-Fa-f.:]{2,39}/[0-9]{1,3}(, ?[0-9A-Fa-f.:]{2,39}/[0-9]{1,3})?)?$",
          "default": ""
        },
        "joinSubnet": {
          "description": "Address range between the routers of the cluster; has to be unused elsewhere. Read on the central node.",
          "title": "an address range such as 100.64.0.0/16, or one of each family with a comma between them",
          "type": "string",
          "pattern": "^[0-9A-Fa-f.:]{2,39}/[0-9]{1,3}(, ?[0-9A-Fa-f.:]{2,39}/[0-9]{1,3})?$",
          "default": "100.64.0.0/16"
        },
        "encapType": {
          "description": "Tunnels to the other nodes: Geneve (UDP port 6081), or VXLAN (4789), which carries fewer networks and ports.",
          "enum": [
            "geneve",
            "vxlan"
          ],
          "default": "geneve"
        },
        "encapAddress": {
          "description": "The node's own address at which the others reach it. auto: that of the default route.",
          "title": "an IP address or auto",
          "type": "string",
          "pattern": "^(auto|[0-9A-Fa-f.:]{2,39})$",
          "default": "auto"
        },
        "kubeconfig": {
          "description": "The kubeconfig with which the daemon follows the cluster. Empty: KUBECONFIG, or MicroShift's own once that is there.",
          "title": "an absolute path or empty",
          "type": "string",
          "pattern": "^(/[^\\u0000-\\u001f]{1,4095})?$",
          "default": ""
        },
        "servicePorts": {
          "description": "Ports of a node's own addresses at which services of type LoadBalancer are served, besides the NodePort range. Read on the central node and on the node that has the address.",
          "title": "ports and ranges of ports such as 80,443,8000-8099, or empty",
          "type": "string",
          "pattern": "^([0-9]{1,5}(-[0-9]{1,5})?(, ?[0-9]{1,5}(-[0-9]{1,5})?){0,63})?$",
          "default": "80,443"
        },
        "externalIPRanges": {
          "description": "Address ranges in which the externalIPs of services are served. Empty: none are. Read on the central node.",
          "title": "address ranges such as 192.0.2.192/27 with a comma between them, or empty",
          "type": "string",
          "pattern": "^([0-9A-Fa-f.:]{2,39}/[0-9]{1,3}(, ?[0-9A-Fa-f.:]{2,39}/[0-9]{1,3}){0,63})?$",
          "default": ""
        }
      }
    }
  }
};
