// Made by config/generate-manifests.mjs from config/manifests; not edited by hand.
import type { KubernetesObject } from './object.ts';

/** The parsed templates by folder and file name. */
export const templates: Readonly<Record<string, readonly KubernetesObject[]>> = {
  "common/config-maps": [
    {
      "apiVersion": "v1",
      "kind": "ConfigMap",
      "metadata": {
        "name": "ovnkube-config",
        "namespace": "openshift-ovn-kubernetes"
      },
      "data": {}
    },
    {
      "apiVersion": "v1",
      "kind": "ConfigMap",
      "metadata": {
        "name": "ovnkube-scripts",
        "namespace": "openshift-ovn-kubernetes"
      },
      "data": {}
    }
  ],
  "common/namespace": [
    {
      "apiVersion": "v1",
      "kind": "Namespace",
      "metadata": {
        "name": "openshift-ovn-kubernetes",
        "labels": {
          "pod-security.kubernetes.io/enforce": "privileged",
          "pod-security.kubernetes.io/audit": "privileged",
          "pod-security.kubernetes.io/warn": "privileged",
          "openshift.io/run-level": "0"
        },
        "annotations": {
          "openshift.io/node-selector": "",
          "workload.openshift.io/allowed": "management"
        }
      }
    }
  ],
  "common/rbac-master": [
    {
      "apiVersion": "rbac.authorization.k8s.io/v1",
      "kind": "ClusterRole",
      "metadata": {
        "name": "openshift-ovn-kubernetes-controller"
      },
      "rules": [
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "namespaces",
            "nodes"
          ],
          "verbs": [
            "get",
            "list",
            "watch",
            "patch",
            "update"
          ]
        },
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "nodes/status",
            "pods/status"
          ],
          "verbs": [
            "patch",
            "update"
          ]
        },
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "pods"
          ],
          "verbs": [
            "get",
            "list",
            "watch",
            "patch",
            "update"
          ]
        },
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "services"
          ],
          "verbs": [
            "get",
            "list",
            "watch"
          ]
        },
        {
          "apiGroups": [
            "discovery.k8s.io"
          ],
          "resources": [
            "endpointslices"
          ],
          "verbs": [
            "get",
            "list",
            "watch"
          ]
        },
        {
          "apiGroups": [
            "networking.k8s.io"
          ],
          "resources": [
            "networkpolicies"
          ],
          "verbs": [
            "get",
            "list",
            "watch"
          ]
        },
        {
          "apiGroups": [
            "k8s.ovn.org"
          ],
          "resources": [
            "adminpolicybasedexternalroutes",
            "egressfirewalls",
            "egressips",
            "egressqoses",
            "egressservices"
          ],
          "verbs": [
            "get",
            "list",
            "watch"
          ]
        },
        {
          "apiGroups": [
            "",
            "events.k8s.io"
          ],
          "resources": [
            "events"
          ],
          "verbs": [
            "create",
            "patch",
            "update"
          ]
        }
      ]
    },
    {
      "apiVersion": "rbac.authorization.k8s.io/v1",
      "kind": "ClusterRoleBinding",
      "metadata": {
        "name": "openshift-ovn-kubernetes-controller"
      },
      "roleRef": {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": "openshift-ovn-kubernetes-controller"
      },
      "subjects": [
        {
          "kind": "ServiceAccount",
          "name": "ovn-kubernetes-controller",
          "namespace": "openshift-ovn-kubernetes"
        }
      ]
    },
    {
      "apiVersion": "rbac.authorization.k8s.io/v1",
      "kind": "Role",
      "metadata": {
        "name": "openshift-ovn-kubernetes-controller",
        "namespace": "openshift-ovn-kubernetes"
      },
      "rules": [
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "configmaps"
          ],
          "verbs": [
            "get",
            "list",
            "watch",
            "create",
            "patch",
            "update"
          ]
        },
        {
          "apiGroups": [
            "coordination.k8s.io"
          ],
          "resources": [
            "leases"
          ],
          "verbs": [
            "get",
            "list",
            "watch",
            "create",
            "patch",
            "update"
          ]
        },
        {
          "apiGroups": [
            "security.openshift.io"
          ],
          "resources": [
            "securitycontextconstraints"
          ],
          "resourceNames": [
            "privileged"
          ],
          "verbs": [
            "use"
          ]
        }
      ]
    },
    {
      "apiVersion": "rbac.authorization.k8s.io/v1",
      "kind": "RoleBinding",
      "metadata": {
        "name": "openshift-ovn-kubernetes-controller",
        "namespace": "openshift-ovn-kubernetes"
      },
      "roleRef": {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "Role",
        "name": "openshift-ovn-kubernetes-controller"
      },
      "subjects": [
        {
          "kind": "ServiceAccount",
          "name": "ovn-kubernetes-controller",
          "namespace": "openshift-ovn-kubernetes"
        }
      ]
    }
  ],
  "common/rbac-node": [
    {
      "apiVersion": "rbac.authorization.k8s.io/v1",
      "kind": "Role",
      "metadata": {
        "name": "openshift-ovn-kubernetes-node",
        "namespace": "openshift-ovn-kubernetes"
      },
      "rules": [
        {
          "apiGroups": [
            "security.openshift.io"
          ],
          "resources": [
            "securitycontextconstraints"
          ],
          "resourceNames": [
            "privileged"
          ],
          "verbs": [
            "use"
          ]
        }
      ]
    },
    {
      "apiVersion": "rbac.authorization.k8s.io/v1",
      "kind": "RoleBinding",
      "metadata": {
        "name": "openshift-ovn-kubernetes-node",
        "namespace": "openshift-ovn-kubernetes"
      },
      "roleRef": {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "Role",
        "name": "openshift-ovn-kubernetes-node"
      },
      "subjects": [
        {
          "kind": "ServiceAccount",
          "name": "ovn-kubernetes-node",
          "namespace": "openshift-ovn-kubernetes"
        }
      ]
    }
  ],
  "common/service-accounts": [
    {
      "apiVersion": "v1",
      "kind": "ServiceAccount",
      "metadata": {
        "name": "ovn-kubernetes-controller",
        "namespace": "openshift-ovn-kubernetes"
      }
    },
    {
      "apiVersion": "v1",
      "kind": "ServiceAccount",
      "metadata": {
        "name": "ovn-kubernetes-node",
        "namespace": "openshift-ovn-kubernetes"
      },
      "automountServiceAccountToken": false
    }
  ],
  "single-node/ovnkube-master": [
    {
      "apiVersion": "apps/v1",
      "kind": "DaemonSet",
      "metadata": {
        "name": "ovnkube-master",
        "namespace": "openshift-ovn-kubernetes",
        "annotations": {
          "kubernetes.io/description": "OVN databases, northd and the ovn-kubernetes controllers"
        }
      },
      "spec": {
        "selector": {
          "matchLabels": {
            "app": "ovnkube-master"
          }
        },
        "updateStrategy": {
          "type": "RollingUpdate",
          "rollingUpdate": {
            "maxSurge": 0,
            "maxUnavailable": 1
          }
        },
        "template": {
          "metadata": {
            "annotations": {
              "target.workload.openshift.io/management": "{\"effect\": \"PreferredDuringScheduling\"}"
            },
            "labels": {
              "app": "ovnkube-master",
              "component": "network",
              "type": "infra",
              "openshift.io/component": "network"
            }
          },
          "spec": {
            "serviceAccountName": "ovn-kubernetes-controller",
            "automountServiceAccountToken": true,
            "hostNetwork": true,
            "hostPID": true,
            "dnsPolicy": "Default",
            "priorityClassName": "system-cluster-critical",
            "terminationGracePeriodSeconds": 30,
            "nodeSelector": {
              "kubernetes.io/os": "linux"
            },
            "tolerations": [
              {
                "operator": "Exists"
              }
            ],
            "containers": [
              {
                "name": "northd",
                "command": [
                  "/bin/bash",
                  "/scripts/northd.sh"
                ],
                "env": [
                  {
                    "name": "OVN_LOG_LEVEL",
                    "value": "info"
                  }
                ],
                "readinessProbe": {
                  "exec": {
                    "command": [
                      "ovn-appctl",
                      "--timeout=5",
                      "-t",
                      "ovn-northd",
                      "status"
                    ]
                  },
                  "periodSeconds": 10,
                  "timeoutSeconds": 10
                },
                "livenessProbe": {
                  "exec": {
                    "command": [
                      "ovn-appctl",
                      "--timeout=20",
                      "-t",
                      "ovn-northd",
                      "version"
                    ]
                  },
                  "initialDelaySeconds": 60,
                  "periodSeconds": 30,
                  "timeoutSeconds": 25,
                  "failureThreshold": 10
                },
                "lifecycle": {
                  "preStop": {
                    "exec": {
                      "command": [
                        "ovn-appctl",
                        "--timeout=10",
                        "-t",
                        "ovn-northd",
                        "exit"
                      ]
                    }
                  }
                },
                "resources": {
                  "requests": {
                    "cpu": "10m",
                    "memory": "10Mi"
                  }
                },
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [
                  {
                    "name": "scripts",
                    "mountPath": "/scripts",
                    "readOnly": true
                  },
                  {
                    "name": "env-overrides",
                    "mountPath": "/env",
                    "readOnly": true
                  },
                  {
                    "name": "run-ovn",
                    "mountPath": "/run/ovn"
                  }
                ]
              },
              {
                "name": "nbdb",
                "command": [
                  "/bin/bash",
                  "/scripts/ovsdb.sh",
                  "nb"
                ],
                "env": [
                  {
                    "name": "OVN_LOG_LEVEL",
                    "value": "info"
                  }
                ],
                "readinessProbe": {
                  "exec": {
                    "command": [
                      "/bin/bash",
                      "/scripts/ovsdb-ready.sh",
                      "nb"
                    ]
                  },
                  "periodSeconds": 10,
                  "timeoutSeconds": 10
                },
                "livenessProbe": {
                  "exec": {
                    "command": [
                      "ovn-appctl",
                      "--timeout=20",
                      "-t",
                      "/run/ovn/ovnnb_db.ctl",
                      "version"
                    ]
                  },
                  "initialDelaySeconds": 60,
                  "periodSeconds": 30,
                  "timeoutSeconds": 25,
                  "failureThreshold": 10
                },
                "lifecycle": {
                  "preStop": {
                    "exec": {
                      "command": [
                        "ovn-appctl",
                        "--timeout=10",
                        "-t",
                        "/run/ovn/ovnnb_db.ctl",
                        "exit"
                      ]
                    }
                  }
                },
                "resources": {
                  "requests": {
                    "cpu": "10m",
                    "memory": "10Mi"
                  }
                },
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [
                  {
                    "name": "scripts",
                    "mountPath": "/scripts",
                    "readOnly": true
                  },
                  {
                    "name": "env-overrides",
                    "mountPath": "/env",
                    "readOnly": true
                  },
                  {
                    "name": "run-ovn",
                    "mountPath": "/run/ovn"
                  },
                  {
                    "name": "databases",
                    "mountPath": "/etc/ovn"
                  }
                ]
              },
              {
                "name": "sbdb",
                "command": [
                  "/bin/bash",
                  "/scripts/ovsdb.sh",
                  "sb"
                ],
                "env": [
                  {
                    "name": "OVN_LOG_LEVEL",
                    "value": "info"
                  }
                ],
                "readinessProbe": {
                  "exec": {
                    "command": [
                      "/bin/bash",
                      "/scripts/ovsdb-ready.sh",
                      "sb"
                    ]
                  },
                  "periodSeconds": 10,
                  "timeoutSeconds": 10
                },
                "livenessProbe": {
                  "exec": {
                    "command": [
                      "ovn-appctl",
                      "--timeout=20",
                      "-t",
                      "/run/ovn/ovnsb_db.ctl",
                      "version"
                    ]
                  },
                  "initialDelaySeconds": 60,
                  "periodSeconds": 30,
                  "timeoutSeconds": 25,
                  "failureThreshold": 10
                },
                "lifecycle": {
                  "preStop": {
                    "exec": {
                      "command": [
                        "ovn-appctl",
                        "--timeout=10",
                        "-t",
                        "/run/ovn/ovnsb_db.ctl",
                        "exit"
                      ]
                    }
                  }
                },
                "resources": {
                  "requests": {
                    "cpu": "10m",
                    "memory": "10Mi"
                  }
                },
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [
                  {
                    "name": "scripts",
                    "mountPath": "/scripts",
                    "readOnly": true
                  },
                  {
                    "name": "env-overrides",
                    "mountPath": "/env",
                    "readOnly": true
                  },
                  {
                    "name": "run-ovn",
                    "mountPath": "/run/ovn"
                  },
                  {
                    "name": "databases",
                    "mountPath": "/etc/ovn"
                  }
                ]
              },
              {
                "name": "ovnkube-master",
                "command": [
                  "/bin/bash",
                  "/scripts/ovnkube.sh",
                  "master",
                  "node"
                ],
                "env": [
                  {
                    "name": "OVN_KUBE_LOG_LEVEL",
                    "value": "4"
                  },
                  {
                    "name": "K8S_NODE",
                    "valueFrom": {
                      "fieldRef": {
                        "fieldPath": "spec.nodeName"
                      }
                    }
                  }
                ],
                "readinessProbe": {
                  "exec": {
                    "command": [
                      "test",
                      "-f",
                      "/etc/cni/net.d/10-ovn-kubernetes.conf"
                    ]
                  },
                  "initialDelaySeconds": 5,
                  "periodSeconds": 5
                },
                "lifecycle": {
                  "preStop": {
                    "exec": {
                      "command": [
                        "rm",
                        "-f",
                        "/etc/cni/net.d/10-ovn-kubernetes.conf"
                      ]
                    }
                  }
                },
                "securityContext": {
                  "privileged": true
                },
                "resources": {
                  "requests": {
                    "cpu": "10m",
                    "memory": "60Mi"
                  }
                },
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [
                  {
                    "name": "scripts",
                    "mountPath": "/scripts",
                    "readOnly": true
                  },
                  {
                    "name": "env-overrides",
                    "mountPath": "/env",
                    "readOnly": true
                  },
                  {
                    "name": "ovnkube-config",
                    "mountPath": "/run/ovnkube-config",
                    "readOnly": true
                  },
                  {
                    "name": "run-ovn",
                    "mountPath": "/run/ovn"
                  },
                  {
                    "name": "run-openvswitch",
                    "mountPath": "/run/openvswitch"
                  },
                  {
                    "name": "run-ovn-kubernetes",
                    "mountPath": "/run/ovn-kubernetes"
                  },
                  {
                    "name": "etc-openvswitch",
                    "mountPath": "/etc/openvswitch",
                    "readOnly": true
                  },
                  {
                    "name": "log-ovn",
                    "mountPath": "/var/log/ovn"
                  },
                  {
                    "name": "cni-conf",
                    "mountPath": "/etc/cni/net.d"
                  },
                  {
                    "name": "cni-bin",
                    "mountPath": "/cni-bin-dir"
                  },
                  {
                    "name": "host",
                    "mountPath": "/host",
                    "readOnly": true,
                    "mountPropagation": "HostToContainer"
                  },
                  {
                    "name": "run-netns",
                    "mountPath": "/run/netns",
                    "readOnly": true,
                    "mountPropagation": "HostToContainer"
                  }
                ]
              }
            ],
            "volumes": [
              {
                "name": "scripts",
                "configMap": {
                  "name": "ovnkube-scripts"
                }
              },
              {
                "name": "env-overrides",
                "configMap": {
                  "name": "env-overrides",
                  "optional": true
                }
              },
              {
                "name": "run-ovn",
                "hostPath": {
                  "path": "/run/ovn",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "databases",
                "emptyDir": {}
              },
              {
                "name": "ovnkube-config",
                "configMap": {
                  "name": "ovnkube-config"
                }
              },
              {
                "name": "run-openvswitch",
                "hostPath": {
                  "path": "/run/openvswitch",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "log-ovn",
                "hostPath": {
                  "path": "/var/log/ovn",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "run-ovn-kubernetes",
                "hostPath": {
                  "path": "/run/ovn-kubernetes",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "etc-openvswitch",
                "hostPath": {
                  "path": "/etc/openvswitch",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "cni-conf",
                "hostPath": {
                  "path": "/etc/cni/net.d",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "cni-bin",
                "hostPath": {
                  "path": "/run/cni/bin",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "host",
                "hostPath": {
                  "path": "/",
                  "type": "Directory"
                }
              },
              {
                "name": "run-netns",
                "hostPath": {
                  "path": "/run/netns",
                  "type": "DirectoryOrCreate"
                }
              }
            ]
          }
        }
      }
    }
  ],
  "single-node/ovnkube-node": [
    {
      "apiVersion": "apps/v1",
      "kind": "DaemonSet",
      "metadata": {
        "name": "ovnkube-node",
        "namespace": "openshift-ovn-kubernetes",
        "annotations": {
          "kubernetes.io/description": "ovn-controller of this node"
        }
      },
      "spec": {
        "selector": {
          "matchLabels": {
            "app": "ovnkube-node"
          }
        },
        "updateStrategy": {
          "type": "RollingUpdate",
          "rollingUpdate": {
            "maxUnavailable": 1
          }
        },
        "template": {
          "metadata": {
            "annotations": {
              "target.workload.openshift.io/management": "{\"effect\": \"PreferredDuringScheduling\"}"
            },
            "labels": {
              "app": "ovnkube-node",
              "component": "network",
              "type": "infra",
              "openshift.io/component": "network"
            }
          },
          "spec": {
            "serviceAccountName": "ovn-kubernetes-node",
            "automountServiceAccountToken": false,
            "hostNetwork": true,
            "hostPID": true,
            "dnsPolicy": "Default",
            "priorityClassName": "system-node-critical",
            "terminationGracePeriodSeconds": 30,
            "nodeSelector": {
              "kubernetes.io/os": "linux"
            },
            "tolerations": [
              {
                "operator": "Exists"
              }
            ],
            "containers": [
              {
                "name": "ovn-controller",
                "command": [
                  "/bin/bash",
                  "/scripts/ovn-controller.sh"
                ],
                "env": [
                  {
                    "name": "OVN_LOG_LEVEL",
                    "value": "info"
                  },
                  {
                    "name": "K8S_NODE",
                    "valueFrom": {
                      "fieldRef": {
                        "fieldPath": "spec.nodeName"
                      }
                    }
                  }
                ],
                "readinessProbe": {
                  "exec": {
                    "command": [
                      "/bin/bash",
                      "/scripts/ovn-controller-ready.sh"
                    ]
                  },
                  "periodSeconds": 10,
                  "timeoutSeconds": 10
                },
                "livenessProbe": {
                  "exec": {
                    "command": [
                      "ovn-appctl",
                      "--timeout=20",
                      "-t",
                      "ovn-controller",
                      "version"
                    ]
                  },
                  "initialDelaySeconds": 60,
                  "periodSeconds": 30,
                  "timeoutSeconds": 25,
                  "failureThreshold": 10
                },
                "lifecycle": {
                  "preStop": {
                    "exec": {
                      "command": [
                        "ovn-appctl",
                        "--timeout=10",
                        "-t",
                        "ovn-controller",
                        "exit",
                        "--restart"
                      ]
                    }
                  }
                },
                "securityContext": {
                  "privileged": true
                },
                "resources": {
                  "requests": {
                    "cpu": "10m",
                    "memory": "10Mi"
                  }
                },
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [
                  {
                    "name": "scripts",
                    "mountPath": "/scripts",
                    "readOnly": true
                  },
                  {
                    "name": "env-overrides",
                    "mountPath": "/env",
                    "readOnly": true
                  },
                  {
                    "name": "run-openvswitch",
                    "mountPath": "/run/openvswitch"
                  },
                  {
                    "name": "run-ovn",
                    "mountPath": "/run/ovn"
                  },
                  {
                    "name": "log-ovn",
                    "mountPath": "/var/log/ovn"
                  }
                ]
              }
            ],
            "volumes": [
              {
                "name": "scripts",
                "configMap": {
                  "name": "ovnkube-scripts"
                }
              },
              {
                "name": "env-overrides",
                "configMap": {
                  "name": "env-overrides",
                  "optional": true
                }
              },
              {
                "name": "run-ovn",
                "hostPath": {
                  "path": "/run/ovn",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "run-openvswitch",
                "hostPath": {
                  "path": "/run/openvswitch",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "log-ovn",
                "hostPath": {
                  "path": "/var/log/ovn",
                  "type": "DirectoryOrCreate"
                }
              }
            ]
          }
        }
      }
    }
  ],
  "multi-node/ovn-config": [
    {
      "apiVersion": "v1",
      "kind": "ConfigMap",
      "metadata": {
        "name": "ovn-config",
        "namespace": "openshift-ovn-kubernetes"
      },
      "data": {}
    }
  ],
  "multi-node/ovnkube-master": [
    {
      "apiVersion": "apps/v1",
      "kind": "DaemonSet",
      "metadata": {
        "name": "ovnkube-master",
        "namespace": "openshift-ovn-kubernetes",
        "annotations": {
          "kubernetes.io/description": "OVN databases, northd and the ovn-kubernetes controllers"
        }
      },
      "spec": {
        "selector": {
          "matchLabels": {
            "app": "ovnkube-master"
          }
        },
        "updateStrategy": {
          "type": "RollingUpdate",
          "rollingUpdate": {
            "maxSurge": 0,
            "maxUnavailable": 1
          }
        },
        "template": {
          "metadata": {
            "annotations": {
              "target.workload.openshift.io/management": "{\"effect\": \"PreferredDuringScheduling\"}"
            },
            "labels": {
              "app": "ovnkube-master",
              "component": "network",
              "type": "infra",
              "openshift.io/component": "network"
            }
          },
          "spec": {
            "serviceAccountName": "ovn-kubernetes-controller",
            "automountServiceAccountToken": true,
            "hostNetwork": true,
            "hostPID": true,
            "dnsPolicy": "Default",
            "priorityClassName": "system-cluster-critical",
            "terminationGracePeriodSeconds": 30,
            "nodeSelector": {
              "kubernetes.io/os": "linux",
              "node-role.kubernetes.io/control-plane": ""
            },
            "tolerations": [
              {
                "operator": "Exists"
              }
            ],
            "containers": [
              {
                "name": "northd",
                "command": [
                  "/bin/bash",
                  "/scripts/northd.sh"
                ],
                "env": [
                  {
                    "name": "OVN_LOG_LEVEL",
                    "value": "info"
                  }
                ],
                "readinessProbe": {
                  "exec": {
                    "command": [
                      "ovn-appctl",
                      "--timeout=5",
                      "-t",
                      "ovn-northd",
                      "status"
                    ]
                  },
                  "periodSeconds": 10,
                  "timeoutSeconds": 10
                },
                "livenessProbe": {
                  "exec": {
                    "command": [
                      "ovn-appctl",
                      "--timeout=20",
                      "-t",
                      "ovn-northd",
                      "version"
                    ]
                  },
                  "initialDelaySeconds": 60,
                  "periodSeconds": 30,
                  "timeoutSeconds": 25,
                  "failureThreshold": 10
                },
                "lifecycle": {
                  "preStop": {
                    "exec": {
                      "command": [
                        "ovn-appctl",
                        "--timeout=10",
                        "-t",
                        "ovn-northd",
                        "exit"
                      ]
                    }
                  }
                },
                "resources": {
                  "requests": {
                    "cpu": "10m",
                    "memory": "10Mi"
                  }
                },
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [
                  {
                    "name": "scripts",
                    "mountPath": "/scripts",
                    "readOnly": true
                  },
                  {
                    "name": "env-overrides",
                    "mountPath": "/env",
                    "readOnly": true
                  },
                  {
                    "name": "run-ovn",
                    "mountPath": "/run/ovn"
                  }
                ]
              },
              {
                "name": "nbdb",
                "command": [
                  "/bin/bash",
                  "/scripts/ovsdb.sh",
                  "nb"
                ],
                "env": [
                  {
                    "name": "OVN_LOG_LEVEL",
                    "value": "info"
                  },
                  {
                    "name": "OVN_DB_ADDRESS",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "OvnNorth"
                      }
                    }
                  }
                ],
                "readinessProbe": {
                  "exec": {
                    "command": [
                      "/bin/bash",
                      "/scripts/ovsdb-ready.sh",
                      "nb"
                    ]
                  },
                  "periodSeconds": 10,
                  "timeoutSeconds": 10
                },
                "livenessProbe": {
                  "exec": {
                    "command": [
                      "ovn-appctl",
                      "--timeout=20",
                      "-t",
                      "/run/ovn/ovnnb_db.ctl",
                      "version"
                    ]
                  },
                  "initialDelaySeconds": 60,
                  "periodSeconds": 30,
                  "timeoutSeconds": 25,
                  "failureThreshold": 10
                },
                "lifecycle": {
                  "preStop": {
                    "exec": {
                      "command": [
                        "ovn-appctl",
                        "--timeout=10",
                        "-t",
                        "/run/ovn/ovnnb_db.ctl",
                        "exit"
                      ]
                    }
                  }
                },
                "resources": {
                  "requests": {
                    "cpu": "10m",
                    "memory": "10Mi"
                  }
                },
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [
                  {
                    "name": "scripts",
                    "mountPath": "/scripts",
                    "readOnly": true
                  },
                  {
                    "name": "env-overrides",
                    "mountPath": "/env",
                    "readOnly": true
                  },
                  {
                    "name": "run-ovn",
                    "mountPath": "/run/ovn"
                  },
                  {
                    "name": "databases",
                    "mountPath": "/etc/ovn"
                  }
                ]
              },
              {
                "name": "sbdb",
                "command": [
                  "/bin/bash",
                  "/scripts/ovsdb.sh",
                  "sb"
                ],
                "env": [
                  {
                    "name": "OVN_LOG_LEVEL",
                    "value": "info"
                  },
                  {
                    "name": "OVN_DB_ADDRESS",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "OvnSouth"
                      }
                    }
                  }
                ],
                "readinessProbe": {
                  "exec": {
                    "command": [
                      "/bin/bash",
                      "/scripts/ovsdb-ready.sh",
                      "sb"
                    ]
                  },
                  "periodSeconds": 10,
                  "timeoutSeconds": 10
                },
                "livenessProbe": {
                  "exec": {
                    "command": [
                      "ovn-appctl",
                      "--timeout=20",
                      "-t",
                      "/run/ovn/ovnsb_db.ctl",
                      "version"
                    ]
                  },
                  "initialDelaySeconds": 60,
                  "periodSeconds": 30,
                  "timeoutSeconds": 25,
                  "failureThreshold": 10
                },
                "lifecycle": {
                  "preStop": {
                    "exec": {
                      "command": [
                        "ovn-appctl",
                        "--timeout=10",
                        "-t",
                        "/run/ovn/ovnsb_db.ctl",
                        "exit"
                      ]
                    }
                  }
                },
                "resources": {
                  "requests": {
                    "cpu": "10m",
                    "memory": "10Mi"
                  }
                },
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [
                  {
                    "name": "scripts",
                    "mountPath": "/scripts",
                    "readOnly": true
                  },
                  {
                    "name": "env-overrides",
                    "mountPath": "/env",
                    "readOnly": true
                  },
                  {
                    "name": "run-ovn",
                    "mountPath": "/run/ovn"
                  },
                  {
                    "name": "databases",
                    "mountPath": "/etc/ovn"
                  }
                ]
              },
              {
                "name": "ovnkube-master",
                "command": [
                  "/bin/bash",
                  "/scripts/ovnkube.sh",
                  "master"
                ],
                "env": [
                  {
                    "name": "OVN_KUBE_LOG_LEVEL",
                    "value": "4"
                  },
                  {
                    "name": "K8S_NODE",
                    "valueFrom": {
                      "fieldRef": {
                        "fieldPath": "spec.nodeName"
                      }
                    }
                  },
                  {
                    "name": "OVN_NORTH",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "OvnNorth"
                      }
                    }
                  },
                  {
                    "name": "OVN_SOUTH",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "OvnSouth"
                      }
                    }
                  },
                  {
                    "name": "K8S_APISERVER",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "k8s_apiserver"
                      }
                    }
                  },
                  {
                    "name": "OVN_NET_CIDR",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "net_cidr"
                      }
                    }
                  },
                  {
                    "name": "OVN_SVC_CIDR",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "svc_cidr"
                      }
                    }
                  }
                ],
                "resources": {
                  "requests": {
                    "cpu": "10m",
                    "memory": "60Mi"
                  }
                },
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [
                  {
                    "name": "scripts",
                    "mountPath": "/scripts",
                    "readOnly": true
                  },
                  {
                    "name": "env-overrides",
                    "mountPath": "/env",
                    "readOnly": true
                  },
                  {
                    "name": "ovnkube-config",
                    "mountPath": "/run/ovnkube-config",
                    "readOnly": true
                  },
                  {
                    "name": "run-ovn",
                    "mountPath": "/run/ovn"
                  },
                  {
                    "name": "run-openvswitch",
                    "mountPath": "/run/openvswitch"
                  }
                ]
              }
            ],
            "volumes": [
              {
                "name": "scripts",
                "configMap": {
                  "name": "ovnkube-scripts"
                }
              },
              {
                "name": "env-overrides",
                "configMap": {
                  "name": "env-overrides",
                  "optional": true
                }
              },
              {
                "name": "run-ovn",
                "hostPath": {
                  "path": "/run/ovn",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "databases",
                "emptyDir": {}
              },
              {
                "name": "ovnkube-config",
                "configMap": {
                  "name": "ovnkube-config"
                }
              },
              {
                "name": "run-openvswitch",
                "hostPath": {
                  "path": "/run/openvswitch",
                  "type": "DirectoryOrCreate"
                }
              }
            ]
          }
        }
      }
    }
  ],
  "multi-node/ovnkube-node": [
    {
      "apiVersion": "apps/v1",
      "kind": "DaemonSet",
      "metadata": {
        "name": "ovnkube-node",
        "namespace": "openshift-ovn-kubernetes",
        "annotations": {
          "kubernetes.io/description": "ovn-controller and the ovn-kubernetes node agent"
        }
      },
      "spec": {
        "selector": {
          "matchLabels": {
            "app": "ovnkube-node"
          }
        },
        "updateStrategy": {
          "type": "RollingUpdate",
          "rollingUpdate": {
            "maxUnavailable": "10%"
          }
        },
        "template": {
          "metadata": {
            "annotations": {
              "target.workload.openshift.io/management": "{\"effect\": \"PreferredDuringScheduling\"}"
            },
            "labels": {
              "app": "ovnkube-node",
              "component": "network",
              "type": "infra",
              "openshift.io/component": "network"
            }
          },
          "spec": {
            "serviceAccountName": "ovn-kubernetes-node",
            "automountServiceAccountToken": true,
            "hostNetwork": true,
            "hostPID": true,
            "dnsPolicy": "Default",
            "priorityClassName": "system-node-critical",
            "terminationGracePeriodSeconds": 30,
            "nodeSelector": {
              "kubernetes.io/os": "linux"
            },
            "tolerations": [
              {
                "operator": "Exists"
              }
            ],
            "containers": [
              {
                "name": "ovn-controller",
                "command": [
                  "/bin/bash",
                  "/scripts/ovn-controller.sh"
                ],
                "env": [
                  {
                    "name": "OVN_LOG_LEVEL",
                    "value": "info"
                  },
                  {
                    "name": "K8S_NODE",
                    "valueFrom": {
                      "fieldRef": {
                        "fieldPath": "spec.nodeName"
                      }
                    }
                  }
                ],
                "readinessProbe": {
                  "exec": {
                    "command": [
                      "/bin/bash",
                      "/scripts/ovn-controller-ready.sh"
                    ]
                  },
                  "periodSeconds": 10,
                  "timeoutSeconds": 10
                },
                "livenessProbe": {
                  "exec": {
                    "command": [
                      "ovn-appctl",
                      "--timeout=20",
                      "-t",
                      "ovn-controller",
                      "version"
                    ]
                  },
                  "initialDelaySeconds": 60,
                  "periodSeconds": 30,
                  "timeoutSeconds": 25,
                  "failureThreshold": 10
                },
                "lifecycle": {
                  "preStop": {
                    "exec": {
                      "command": [
                        "ovn-appctl",
                        "--timeout=10",
                        "-t",
                        "ovn-controller",
                        "exit",
                        "--restart"
                      ]
                    }
                  }
                },
                "securityContext": {
                  "privileged": true
                },
                "resources": {
                  "requests": {
                    "cpu": "10m",
                    "memory": "10Mi"
                  }
                },
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [
                  {
                    "name": "scripts",
                    "mountPath": "/scripts",
                    "readOnly": true
                  },
                  {
                    "name": "env-overrides",
                    "mountPath": "/env",
                    "readOnly": true
                  },
                  {
                    "name": "run-openvswitch",
                    "mountPath": "/run/openvswitch"
                  },
                  {
                    "name": "run-ovn",
                    "mountPath": "/run/ovn"
                  },
                  {
                    "name": "log-ovn",
                    "mountPath": "/var/log/ovn"
                  }
                ]
              },
              {
                "name": "ovnkube-node",
                "command": [
                  "/bin/bash",
                  "/scripts/ovnkube.sh",
                  "node"
                ],
                "env": [
                  {
                    "name": "OVN_KUBE_LOG_LEVEL",
                    "value": "4"
                  },
                  {
                    "name": "K8S_NODE",
                    "valueFrom": {
                      "fieldRef": {
                        "fieldPath": "spec.nodeName"
                      }
                    }
                  },
                  {
                    "name": "OVN_NORTH",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "OvnNorth"
                      }
                    }
                  },
                  {
                    "name": "OVN_SOUTH",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "OvnSouth"
                      }
                    }
                  },
                  {
                    "name": "K8S_APISERVER",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "k8s_apiserver"
                      }
                    }
                  },
                  {
                    "name": "OVN_NET_CIDR",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "net_cidr"
                      }
                    }
                  },
                  {
                    "name": "OVN_SVC_CIDR",
                    "valueFrom": {
                      "configMapKeyRef": {
                        "name": "ovn-config",
                        "key": "svc_cidr"
                      }
                    }
                  }
                ],
                "readinessProbe": {
                  "exec": {
                    "command": [
                      "test",
                      "-f",
                      "/etc/cni/net.d/10-ovn-kubernetes.conf"
                    ]
                  },
                  "initialDelaySeconds": 5,
                  "periodSeconds": 5
                },
                "lifecycle": {
                  "preStop": {
                    "exec": {
                      "command": [
                        "rm",
                        "-f",
                        "/etc/cni/net.d/10-ovn-kubernetes.conf"
                      ]
                    }
                  }
                },
                "securityContext": {
                  "privileged": true
                },
                "resources": {
                  "requests": {
                    "cpu": "10m",
                    "memory": "60Mi"
                  }
                },
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [
                  {
                    "name": "scripts",
                    "mountPath": "/scripts",
                    "readOnly": true
                  },
                  {
                    "name": "env-overrides",
                    "mountPath": "/env",
                    "readOnly": true
                  },
                  {
                    "name": "ovnkube-config",
                    "mountPath": "/run/ovnkube-config",
                    "readOnly": true
                  },
                  {
                    "name": "run-ovn",
                    "mountPath": "/run/ovn"
                  },
                  {
                    "name": "run-openvswitch",
                    "mountPath": "/run/openvswitch"
                  },
                  {
                    "name": "run-ovn-kubernetes",
                    "mountPath": "/run/ovn-kubernetes"
                  },
                  {
                    "name": "etc-openvswitch",
                    "mountPath": "/etc/openvswitch",
                    "readOnly": true
                  },
                  {
                    "name": "log-ovn",
                    "mountPath": "/var/log/ovn"
                  },
                  {
                    "name": "cni-conf",
                    "mountPath": "/etc/cni/net.d"
                  },
                  {
                    "name": "cni-bin",
                    "mountPath": "/cni-bin-dir"
                  },
                  {
                    "name": "host",
                    "mountPath": "/host",
                    "readOnly": true,
                    "mountPropagation": "HostToContainer"
                  },
                  {
                    "name": "run-netns",
                    "mountPath": "/run/netns",
                    "readOnly": true,
                    "mountPropagation": "HostToContainer"
                  }
                ]
              }
            ],
            "volumes": [
              {
                "name": "scripts",
                "configMap": {
                  "name": "ovnkube-scripts"
                }
              },
              {
                "name": "env-overrides",
                "configMap": {
                  "name": "env-overrides",
                  "optional": true
                }
              },
              {
                "name": "run-ovn",
                "hostPath": {
                  "path": "/run/ovn",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "ovnkube-config",
                "configMap": {
                  "name": "ovnkube-config"
                }
              },
              {
                "name": "run-openvswitch",
                "hostPath": {
                  "path": "/run/openvswitch",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "log-ovn",
                "hostPath": {
                  "path": "/var/log/ovn",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "run-ovn-kubernetes",
                "hostPath": {
                  "path": "/run/ovn-kubernetes",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "etc-openvswitch",
                "hostPath": {
                  "path": "/etc/openvswitch",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "cni-conf",
                "hostPath": {
                  "path": "/etc/cni/net.d",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "cni-bin",
                "hostPath": {
                  "path": "/run/cni/bin",
                  "type": "DirectoryOrCreate"
                }
              },
              {
                "name": "host",
                "hostPath": {
                  "path": "/",
                  "type": "Directory"
                }
              },
              {
                "name": "run-netns",
                "hostPath": {
                  "path": "/run/netns",
                  "type": "DirectoryOrCreate"
                }
              }
            ]
          }
        }
      }
    }
  ],
  "multi-node/rbac-node": [
    {
      "apiVersion": "rbac.authorization.k8s.io/v1",
      "kind": "ClusterRole",
      "metadata": {
        "name": "openshift-ovn-kubernetes-node"
      },
      "rules": [
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "nodes"
          ],
          "verbs": [
            "get",
            "list",
            "watch",
            "patch",
            "update"
          ]
        },
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "nodes/status"
          ],
          "verbs": [
            "patch",
            "update"
          ]
        },
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "pods"
          ],
          "verbs": [
            "get",
            "list",
            "watch",
            "patch"
          ]
        },
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "pods/status"
          ],
          "verbs": [
            "patch",
            "update"
          ]
        },
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "namespaces",
            "services"
          ],
          "verbs": [
            "get",
            "list",
            "watch"
          ]
        },
        {
          "apiGroups": [
            "discovery.k8s.io"
          ],
          "resources": [
            "endpointslices"
          ],
          "verbs": [
            "get",
            "list",
            "watch"
          ]
        },
        {
          "apiGroups": [
            "",
            "events.k8s.io"
          ],
          "resources": [
            "events"
          ],
          "verbs": [
            "create",
            "patch",
            "update"
          ]
        }
      ]
    },
    {
      "apiVersion": "rbac.authorization.k8s.io/v1",
      "kind": "ClusterRoleBinding",
      "metadata": {
        "name": "openshift-ovn-kubernetes-node"
      },
      "roleRef": {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": "openshift-ovn-kubernetes-node"
      },
      "subjects": [
        {
          "kind": "ServiceAccount",
          "name": "ovn-kubernetes-node",
          "namespace": "openshift-ovn-kubernetes"
        }
      ]
    }
  ]
};

/** The containers' scripts by file name. */
export const scripts: Readonly<Record<string, string>> = {
  "environment.sh": "#!/bin/bash\n# Sourced by the other scripts: takes over what an admin set for debugging in the ConfigMap env-overrides.\n# Its key _master counts in the pods of ovnkube-master, a node's name in the other pods of that node.\n\nfor overrides in /env/_master \"/env/${K8S_NODE:-}\"; do\n  if [[ -f $overrides ]]; then\n    set -o allexport\n    # shellcheck source=/dev/null\n    source \"$overrides\"\n    set +o allexport\n  fi\ndone\n\n# Logs go to the container's output only, with the time in a form that sorts.\n# shellcheck disable=SC2034 # the scripts that source this one use it\nconsole_log=(\"-vconsole:${OVN_LOG_LEVEL:-info}\" -vfile:off\n  '-vPATTERN:console:%D{%Y-%m-%dT%H:%M:%S.###Z}|%05N|%c%T|%p|%m')\n",
  "northd.sh": "#!/bin/bash\n# Runs ovn-northd. It finds the databases at their sockets below /run/ovn and waits for them by itself.\nset -euo pipefail\n# shellcheck source=environment.sh\nsource /scripts/environment.sh\n\n# Left by a container that was killed: with the host's process ids its number may belong to somebody else now.\nrm -f /run/ovn/ovn-northd.pid\n\nexec ovn-northd --no-chdir --pidfile=/run/ovn/ovn-northd.pid \"${console_log[@]}\"\n",
  "ovn-controller-ready.sh": "#!/bin/bash\n# Ready when ovn-controller is connected to the southbound database.\nset -euo pipefail\n[[ $(ovn-appctl --timeout=5 -t ovn-controller connection-status) == connected ]]\n",
  "ovn-controller.sh": "#!/bin/bash\n# Runs ovn-controller. What the ACLs of network policies log goes to /var/log/ovn/acl-audit-log.log.\nset -euo pipefail\n# shellcheck source=environment.sh\nsource /scripts/environment.sh\n\nrm -f /run/ovn/ovn-controller.pid\n\nexec ovn-controller unix:/run/openvswitch/db.sock --no-chdir --pidfile=/run/ovn/ovn-controller.pid \\\n  --syslog-method=null --log-file=/var/log/ovn/acl-audit-log.log \\\n  \"${console_log[@]}\" -vconsole:acl_log:off -vfile:acl_log:info\n",
  "ovnkube.sh": "#!/bin/bash\n# Runs ovnkube in the given roles: ovnkube.sh master|node|master node.\n# Which options an ovnkube has differs by its release, so it is asked for them instead of its version being compared.\nset -euo pipefail\n# shellcheck source=environment.sh\nsource /scripts/environment.sh\n\nconf=/run/ovnkube-config/ovnkube.conf\nroles=\" $* \"\nknown_options=$(/usr/bin/ovnkube --help 2>&1 || true)\n\nhas_role() { [[ $roles == *\" $1 \"* ]]; }\nknows() { [[ $known_options == *\"--$1\"* ]]; }\n\n# The device of the default route, which is br-ex where br-ex has the uplink.\ndefault_device() {\n  local family route\n  for family in -4 -6; do\n    route=$(ip \"$family\" -oneline route show default)\n    if [[ $route =~ \\ dev\\ ([^[:space:]]+) ]]; then\n      echo \"${BASH_REMATCH[1]}\"\n      return\n    fi\n  done\n  echo br-ex\n}\n\n# The largest packet a pod may send. Between nodes it must leave room for the tunnel's headers (RFC 8926):\n# 58 bytes over IPv4, 78 over IPv6. Within one node there is no tunnel.\npod_mtu() {\n  local mtu\n  mtu=$(< \"/sys/class/net/$(default_device)/mtu\") || return 1\n  case ${OVN_NORTH:-} in\n    '') echo \"$mtu\" ;;\n    *'['*) echo $((mtu - 78)) ;;\n    *) echo $((mtu - 58)) ;;\n  esac\n}\n\nprepare_node() {\n  # By rename, because the runtime may be executing the old one.\n  cp /usr/libexec/cni/ovn-k8s-cni-overlay /cni-bin-dir/.ovn-k8s-cni-overlay.new\n  mv /cni-bin-dir/.ovn-k8s-cni-overlay.new /cni-bin-dir/ovn-k8s-cni-overlay\n\n  # Tunnel packets need no connection tracking. Asked for first, or every start would add one more rule.\n  local tables chain\n  for tables in iptables ip6tables; do\n    for chain in PREROUTING OUTPUT; do\n      \"$tables\" -t raw -C \"$chain\" -p udp --dport 6081 -j NOTRACK 2> /dev/null ||\n        \"$tables\" -t raw -A \"$chain\" -p udp --dport 6081 -j NOTRACK ||\n        echo \"$tables refuses the rule for the tunnel port; going on without it\"\n    done\n  done\n\n  # Traffic between the uplink and the pods passes the host's routing in local gateway mode.\n  echo 1 > /proc/sys/net/ipv4/ip_forward\n  if [[ -d /proc/sys/net/ipv6 ]]; then\n    echo 1 > /proc/sys/net/ipv6/conf/all/forwarding\n    echo 1 > /proc/sys/net/ipv6/conf/default/forwarding\n  fi\n}\n\novnkube=(/usr/bin/ovnkube \"--config-file=$conf\" \"--loglevel=${OVN_KUBE_LOG_LEVEL:-4}\" --enable-multicast)\nif ! grep -q '^mtu=' \"$conf\"; then\n  if ! mtu=$(pod_mtu); then\n    echo \"mtu: auto needs a default route or br-ex to take it from, and there is neither\" >&2\n    exit 1\n  fi\n  ovnkube+=(--mtu \"$mtu\")\nfi\n\nif [[ -n ${OVN_NORTH:-} ]]; then\n  if ! knows nb-address; then\n    echo \"this ovnkube has no central databases any more (no --nb-address): the flavour multi-node needs an older image\" >&2\n    exit 1\n  fi\n  ovnkube+=(--nb-address \"$OVN_NORTH\" --sb-address \"$OVN_SOUTH\")\n  ovnkube+=(--cluster-subnets \"$OVN_NET_CIDR\" --k8s-service-cidrs \"$OVN_SVC_CIDR\")\nfi\n\narguments=()\nsecond_process=false\nif has_role master; then\n  if knows init-master; then\n    arguments+=(--init-master \"$K8S_NODE\")\n  else\n    arguments+=(--init-ovnkube-controller \"$K8S_NODE\")\n    second_process=true\n  fi\nfi\nif has_role node; then\n  prepare_node\n  arguments+=(--init-node \"$K8S_NODE\")\n  if [[ -d /sys/class/net/br-ex1 ]]; then arguments+=(--exgw-interface=br-ex1); fi\nfi\nif has_role master && has_role node && knows single-node; then arguments+=(--single-node); fi\n\necho \"starting ovnkube ${arguments[*]}\"\nif [[ $second_process == false ]]; then exec \"${ovnkube[@]}\" \"${arguments[@]}\"; fi\n\n# Later releases run the cluster manager as a process of its own; the container ends when either does.\n\"${ovnkube[@]}\" --init-cluster-manager \"$K8S_NODE\" &\n\"${ovnkube[@]}\" \"${arguments[@]}\" &\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\ntrap 'exit 143' TERM INT\nwait -n\n",
  "ovsdb-ready.sh": "#!/bin/bash\n# Ready when the database answers. Also has it give back memory after each compaction, which matters on small nodes.\nset -euo pipefail\novn-appctl --timeout=5 -t \"/run/ovn/ovn$1_db.ctl\" ovsdb-server/memory-trim-on-compaction on\novn-appctl --timeout=5 -t \"/run/ovn/ovn$1_db.ctl\" ovsdb-server/list-dbs\n",
  "ovsdb.sh": "#!/bin/bash\n# Runs one OVN database: ovsdb.sh nb|sb. With OVN_DB_ADDRESS (tcp:<address>:<port>) it also answers there.\nset -euo pipefail\n# shellcheck source=environment.sh\nsource /scripts/environment.sh\ndb=$1\n\n# A client that connects to the socket of the last run would believe the database to be as it was then.\nrm -f \"/run/ovn/ovn${db}_db\".{pid,sock,ctl}\n\nlisten=()\nif [[ -n ${OVN_DB_ADDRESS:-} ]]; then\n  address=${OVN_DB_ADDRESS#tcp:}\n  listen=(\"--db-$db-create-insecure-remote=yes\" \"--db-$db-addr=${address%:*}\" \"--db-$db-port=${address##*:}\")\nfi\n\nexport OVN_DBDIR=/etc/ovn\nexec /usr/share/ovn/scripts/ovn-ctl --no-monitor \"${listen[@]}\" \"--ovn-$db-log=${console_log[*]}\" \"run_${db}_ovsdb\"\n"
};
