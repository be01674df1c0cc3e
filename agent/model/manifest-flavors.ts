/** Properties of a flavour of the manifests. */
export interface FlavorTraits {
  /** Folder of config/manifests with the templates of the flavour; those in `common` belong to every flavour. */
  readonly folder: string;
  /** True if nodes reach each other through tunnels, so that packets have tunnel headers. */
  readonly hasTunnels: boolean;
  /**
   * OVN databases that a node uses: `own` are those of the only node of a cluster, `zone` are those of the node's zone
   * (ovn-kubernetes, interconnect), `central` are those on the node of the control plane.
   */
  readonly databases: 'own' | 'zone' | 'central';
}

/** Flavours of the manifests. The command line, the templates and the rendered settings follow from this table. */
export const flavorTraits = {
  classic: { folder: 'single-node', hasTunnels: false, databases: 'own' },
  'no-uplink': { folder: 'single-node', hasTunnels: false, databases: 'own' },
  'multi-node': { folder: 'multi-node', hasTunnels: true, databases: 'central' },
  interconnect: { folder: 'interconnect', hasTunnels: true, databases: 'zone' },
} as const satisfies Readonly<Record<string, FlavorTraits>>;

export type Flavor = keyof typeof flavorTraits;

/** Flavour in ovn.yaml and on the command line; `auto` follows the uplink. */
export type ManifestsFlavor = 'auto' | Flavor;

/** Flavours that ovn.yaml and the command line accept. */
export const manifestsFlavors = ['auto', ...Object.keys(flavorTraits)] as readonly ManifestsFlavor[];
