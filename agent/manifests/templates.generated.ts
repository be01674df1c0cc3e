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
            "nodes",
            "pods"
          ],
          "verbs": [
            "get",
            "list",
            "watch"
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
            "namespaces/status",
            "services/status"
          ],
          "verbs": [
            "patch"
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
            "list",
            "watch"
          ]
        },
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "events"
          ],
          "verbs": [
            "create",
            "patch"
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
            "coordination.k8s.io"
          ],
          "resources": [
            "leases"
          ],
          "verbs": [
            "get",
            "create",
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
                "name": "ovnkube-cluster-manager",
                "command": [
                  "/bin/bash",
                  "/scripts/ovnkube.sh",
                  "cluster-manager"
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
                      "/bin/bash",
                      "/scripts/ovnkube-ready.sh"
                    ]
                  },
                  "periodSeconds": 10,
                  "timeoutSeconds": 10
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
                    "name": "ovnkube-config",
                    "mountPath": "/run/ovnkube-config",
                    "readOnly": true
                  }
                ]
              },
              {
                "name": "ovnkube-master",
                "command": [
                  "/bin/bash",
                  "/scripts/ovnkube.sh",
                  "controller",
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
                      "/bin/bash",
                      "/scripts/ovnkube-ready.sh",
                      "node"
                    ]
                  },
                  "initialDelaySeconds": 5,
                  "periodSeconds": 5,
                  "timeoutSeconds": 5
                },
                "livenessProbe": {
                  "exec": {
                    "command": [
                      "/bin/bash",
                      "/scripts/ovnkube-alive.sh"
                    ]
                  },
                  "periodSeconds": 5,
                  "timeoutSeconds": 30,
                  "failureThreshold": 2
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
                  "controller"
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
                      "/bin/bash",
                      "/scripts/ovnkube-ready.sh"
                    ]
                  },
                  "periodSeconds": 10,
                  "timeoutSeconds": 10
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
                      "/bin/bash",
                      "/scripts/ovnkube-ready.sh",
                      "node"
                    ]
                  },
                  "initialDelaySeconds": 5,
                  "periodSeconds": 5,
                  "timeoutSeconds": 5
                },
                "livenessProbe": {
                  "exec": {
                    "command": [
                      "/bin/bash",
                      "/scripts/ovnkube-alive.sh"
                    ]
                  },
                  "periodSeconds": 5,
                  "timeoutSeconds": 30,
                  "failureThreshold": 2
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
            "watch"
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
            "watch"
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
            "list",
            "watch"
          ]
        },
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "events"
          ],
          "verbs": [
            "create",
            "patch"
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
  ],
  "interconnect/ovn-config": [
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
  "interconnect/ovnkube-master": [
    {
      "apiVersion": "apps/v1",
      "kind": "DaemonSet",
      "metadata": {
        "name": "ovnkube-master",
        "namespace": "openshift-ovn-kubernetes",
        "annotations": {
          "kubernetes.io/description": "the cluster manager of ovn-kubernetes"
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
                "name": "ovnkube-cluster-manager",
                "command": [
                  "/bin/bash",
                  "/scripts/ovnkube.sh",
                  "cluster-manager"
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
                      "/bin/bash",
                      "/scripts/ovnkube-ready.sh"
                    ]
                  },
                  "periodSeconds": 10,
                  "timeoutSeconds": 10
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
                    "name": "ovnkube-config",
                    "mountPath": "/run/ovnkube-config",
                    "readOnly": true
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
                "name": "ovnkube-config",
                "configMap": {
                  "name": "ovnkube-config"
                }
              }
            ]
          }
        }
      }
    }
  ],
  "interconnect/ovnkube-node": [
    {
      "apiVersion": "apps/v1",
      "kind": "DaemonSet",
      "metadata": {
        "name": "ovnkube-node",
        "namespace": "openshift-ovn-kubernetes",
        "annotations": {
          "kubernetes.io/description": "OVN databases, northd, ovn-controller and the ovn-kubernetes controllers of this node"
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
            "maxSurge": 0,
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
                "name": "northd",
                "command": [
                  "/bin/bash",
                  "/scripts/northd.sh"
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
                "name": "ovnkube-controller",
                "command": [
                  "/bin/bash",
                  "/scripts/ovnkube.sh",
                  "controller",
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
                      "/bin/bash",
                      "/scripts/ovnkube-ready.sh",
                      "node"
                    ]
                  },
                  "initialDelaySeconds": 5,
                  "periodSeconds": 5,
                  "timeoutSeconds": 5
                },
                "livenessProbe": {
                  "exec": {
                    "command": [
                      "/bin/bash",
                      "/scripts/ovnkube-alive.sh"
                    ]
                  },
                  "periodSeconds": 5,
                  "timeoutSeconds": 30,
                  "failureThreshold": 2
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
  "interconnect/rbac-node": [
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
            "watch"
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
            "watch"
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
            "namespaces"
          ],
          "verbs": [
            "get",
            "list",
            "watch"
          ]
        },
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "namespaces/status"
          ],
          "verbs": [
            "patch"
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
            "list",
            "watch"
          ]
        },
        {
          "apiGroups": [
            ""
          ],
          "resources": [
            "events"
          ],
          "verbs": [
            "create",
            "patch"
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
  "ovnkube-alive.sh": "#!/bin/bash\n# Alive unless br-ex is another bridge than the one ovnkube has set up: then only a new ovnkube makes all of it again. Where there is no br-ex, or\n# Open vSwitch does not answer, a new one could do no more, and pods are served meanwhile.\nset -euo pipefail\nmine=$(cat /tmp/bridge 2> /dev/null) || exit 0\npresent=$(ovs-vsctl --timeout=10 --if-exists get Bridge br-ex _uuid 2> /dev/null) || exit 0\n[[ -z $present || $present == \"$mine\" ]] || { echo 'br-ex was built anew since ovnkube started'; exit 1; }\n",
  "ovnkube-ready.sh": "#!/bin/bash\n# Ready when ovnkube.sh has started ovnkube: ovnkube-ready.sh [node]. A node's ovnkube also writes the CNI configuration, once the\n# node's gateway works and pods can be plugged.\nset -euo pipefail\nif cat /tmp/not-started 2> /dev/null; then exit 1; fi\n[[ ${1:-} != node || -f /etc/cni/net.d/10-ovn-kubernetes.conf ]]\n",
  "ovnkube.sh": "#!/bin/bash\n# Runs ovnkube in the given roles: ovnkube.sh cluster-manager|controller|node|controller node.\n# Which options an ovnkube has differs by its release, so it is asked for them instead of its version being compared.\nset -euo pipefail\n# shellcheck source=environment.sh\nsource /scripts/environment.sh\n\nconf=/run/ovnkube-config/ovnkube.conf\nroles=\" $* \"\nknown_options=$(/usr/bin/ovnkube --help 2>&1 || true)\n\nhas_role() { [[ $roles == *\" $1 \"* ]]; }\nknows() { [[ $known_options == *\"--$1\"* ]]; }\n\n# ovnkube-ready.sh says it too, and so it gets into the events of the pod.\nnot_started() {\n  echo \"$1\" > /tmp/not-started\n  echo \"$1\" >&2\n}\n\n# For what a restart of the container does not mend: it stays and is not ready, instead of ending over and over.\nrefuse() {\n  not_started \"$1\"\n  exec sleep infinity\n}\n\n# The databases tell ovs-vsctl, it does not poll. A device's number is not kept on disk, so it is never one of before a power cut.\nwait_for_bridge() {\n  not_started \"waiting for $1, which $2 makes\"\n  ovs-vsctl --retry \"${@:3}\" wait-until Interface \"$1\" 'ifindex>0'\n}\n\n# An address of the node's on br-ex: any that is not one ovnkube itself gives it.\nhas_address() { ip -oneline address show dev br-ex scope global | grep -qvE ' (169\\.254\\.|fd69:)'; }\n\n# Started without an address ovnkube ends after half a minute, and has cut the node off from the LAN by then. DHCP takes seconds.\nwait_for_address() {\n  not_started 'waiting for an address on br-ex'\n  local changes\n  exec {changes}< <(exec ip monitor address dev br-ex)\n  SECONDS=0\n  # Every five seconds without an event, too: the first look may come before ip monitor listens. A minute is more than DHCP is given.\n  until has_address || ((SECONDS > 60)); do\n    read -r -t 5 -u \"$changes\" || (($? > 128)) || break\n  done\n  exec {changes}<&-\n  kill $! || true\n}\n\n# The device of the default route, which is br-ex where br-ex has the uplink.\ndefault_device() {\n  local family route\n  for family in -4 -6; do\n    route=$(ip \"$family\" -oneline route show default)\n    if [[ $route =~ \\ dev\\ ([^[:space:]]+) ]]; then\n      echo \"${BASH_REMATCH[1]}\"\n      return\n    fi\n  done\n  echo br-ex\n}\n\n# The largest packet a pod may send. Between nodes it must leave room for the tunnel's headers (RFC 8926):\n# 58 bytes over IPv4, 78 over IPv6. Within one node there is no tunnel.\npod_mtu() {\n  local mtu\n  mtu=$(< \"/sys/class/net/$(default_device)/mtu\") || return 1\n  case ${K8S_APISERVER:-} in\n    '') echo \"$mtu\" ;;\n    *'['*) echo $((mtu - 78)) ;;\n    *) echo $((mtu - 58)) ;;\n  esac\n}\n\nprepare_node() {\n  # Left by an ovnkube that was killed, or by a power cut, it would have the node called ready while nobody answers CNI calls.\n  rm -f /etc/cni/net.d/10-ovn-kubernetes.conf\n\n  # Without br-ex ovnkube neither works nor ends. There is no limit: until somebody makes br-ex there is nothing else to do.\n  wait_for_bridge br-ex 'microshift-net apply'\n  wait_for_address\n  # At the first start ovnkube ends where it is quicker than ovn-controller. A minute is more than ovn-controller ever needs.\n  wait_for_bridge br-int ovn-controller --timeout=60 || echo 'no br-int after 60 s; starting ovnkube without it' >&2\n  # ovnkube-alive.sh compares it.\n  ovs-vsctl --timeout=10 get Bridge br-ex _uuid > /tmp/bridge\n  rm -f /tmp/not-started\n\n  # By rename, because the runtime may be executing the old one.\n  cp /usr/libexec/cni/ovn-k8s-cni-overlay /cni-bin-dir/.ovn-k8s-cni-overlay.new\n  mv /cni-bin-dir/.ovn-k8s-cni-overlay.new /cni-bin-dir/ovn-k8s-cni-overlay\n\n  # Tunnel packets need no connection tracking. Asked for first, or every start would add one more rule.\n  local tables chain\n  for tables in iptables ip6tables; do\n    for chain in PREROUTING OUTPUT; do\n      \"$tables\" -t raw -C \"$chain\" -p udp --dport 6081 -j NOTRACK 2> /dev/null ||\n        \"$tables\" -t raw -A \"$chain\" -p udp --dport 6081 -j NOTRACK ||\n        echo \"$tables refuses the rule for the tunnel port; going on without it\"\n    done\n  done\n\n  # Traffic between the uplink and the pods passes the host's routing in local gateway mode.\n  echo 1 > /proc/sys/net/ipv4/ip_forward\n  if [[ -d /proc/sys/net/ipv6 ]]; then\n    echo 1 > /proc/sys/net/ipv6/conf/all/forwarding\n    echo 1 > /proc/sys/net/ipv6/conf/default/forwarding\n  fi\n}\n\n# Whether the cluster manager is a process of its own; before, what fills the databases did its work, too.\nhas_cluster_manager() { knows init-cluster-manager && knows init-ovnkube-controller; }\n\nrm -f /tmp/not-started /tmp/bridge\noptions=(\"--config-file=$conf\" \"--loglevel=${OVN_KUBE_LOG_LEVEL:-4}\" --enable-multicast)\n\ncase ${OVN_NORTH:-} in\n  tcp:*)\n    if ! knows nb-address || ! knows init-master; then\n      refuse 'this ovnkube has no central databases any more (no --nb-address): use the flavour interconnect, or an older image'\n    fi\n    options+=(--nb-address \"$OVN_NORTH\" --sb-address \"$OVN_SOUTH\")\n    ;;\n  unix:*)\n    if ! has_cluster_manager; then\n      refuse 'this ovnkube has no zones (no --init-ovnkube-controller): the flavour interconnect needs an image of September 2023 or later'\n    fi\n    ;;\nesac\nif [[ -n ${OVN_NORTH:-} ]]; then options+=(--cluster-subnets \"$OVN_NET_CIDR\" --k8s-service-cidrs \"$OVN_SVC_CIDR\"); fi\n\nif has_role cluster-manager; then\n  if has_cluster_manager; then\n    echo \"starting ovnkube --init-cluster-manager $K8S_NODE\"\n    exec /usr/bin/ovnkube \"${options[@]}\" --init-cluster-manager \"$K8S_NODE\"\n  fi\n  echo 'this ovnkube has no cluster manager of its own; ovnkube-master does its work'\n  exec sleep infinity\nfi\n\nif has_role node; then\n  prepare_node\n  options+=(--init-node \"$K8S_NODE\")\n  if [[ -d /sys/class/net/br-ex1 ]]; then options+=(--exgw-interface=br-ex1); fi\nfi\nif ! grep -q '^mtu=' \"$conf\"; then\n  if ! mtu=$(pod_mtu); then\n    echo \"mtu: auto needs a default route or br-ex to take it from, and there is neither\" >&2\n    exit 1\n  fi\n  options+=(--mtu \"$mtu\")\nfi\nif has_role controller; then\n  if has_cluster_manager && [[ ${OVN_NORTH:-} != tcp:* ]]; then\n    options+=(--init-ovnkube-controller \"$K8S_NODE\")\n  else\n    # The only candidate need not hurry; a slow disk must not cost it the lease. Seconds, as in ovnkube.conf.\n    options+=(--init-master \"$K8S_NODE\")\n    options+=(--ha-election-lease-duration 137 --ha-election-renew-deadline 107 --ha-election-retry-period 26)\n  fi\n  if [[ -z ${OVN_NORTH:-} ]] && knows single-node; then options+=(--single-node); fi\n  if [[ ${OVN_NORTH:-} == unix:* ]] && knows zone; then\n    # ovnkube compares the zone with the one the databases say they are of; northd carries it from one to the other.\n    ovsdb-client --timeout=60 wait \"$OVN_NORTH\" OVN_Northbound connected\n    ovn-nbctl --timeout=60 --db=\"$OVN_NORTH\" set NB_Global . name=\"$K8S_NODE\" options:name=\"$K8S_NODE\"\n    options+=(--zone \"$K8S_NODE\")\n  fi\nfi\n\necho \"starting ovnkube ${options[*]}\"\nexec /usr/bin/ovnkube \"${options[@]}\"\n",
  "ovsdb-ready.sh": "#!/bin/bash\n# Ready when the database answers. Also has it give back memory after each compaction, which matters on small nodes.\nset -euo pipefail\novn-appctl --timeout=5 -t \"/run/ovn/ovn$1_db.ctl\" ovsdb-server/memory-trim-on-compaction on\novn-appctl --timeout=5 -t \"/run/ovn/ovn$1_db.ctl\" ovsdb-server/list-dbs\n",
  "ovsdb.sh": "#!/bin/bash\n# Runs one OVN database: ovsdb.sh nb|sb. With OVN_DB_ADDRESS (tcp:<address>:<port>) it also answers there.\nset -euo pipefail\n# shellcheck source=environment.sh\nsource /scripts/environment.sh\ndb=$1\n\n# A client that connects to the socket of the last run would believe the database to be as it was then.\nrm -f \"/run/ovn/ovn${db}_db\".{pid,sock,ctl}\n\nlisten=()\nif [[ -n ${OVN_DB_ADDRESS:-} ]]; then\n  address=${OVN_DB_ADDRESS#tcp:}\n  listen=(\"--db-$db-create-insecure-remote=yes\" \"--db-$db-addr=${address%:*}\" \"--db-$db-port=${address##*:}\")\nfi\n\nexport OVN_DBDIR=/etc/ovn\nexec /usr/share/ovn/scripts/ovn-ctl --no-monitor \"${listen[@]}\" \"--ovn-$db-log=${console_log[*]}\" \"run_${db}_ovsdb\"\n"
};
