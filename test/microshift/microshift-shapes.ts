// Nodes on which a real MicroShift is tested: the LAN, the configuration of MicroShift and of the agent, and the
// addresses at which the API must answer.
import type { MicroShiftOptions } from './microshift-node.ts';

export interface MicroShiftShape extends Pick<MicroShiftOptions, 'lan' | 'lanAppend' | 'config' | 'ovn'> {
  readonly name: string;
  /**
   * Addresses that MicroShift adds to br-ex and advertises for its API (pkg/config/config.go, updateComputedValues).
   */
  readonly advertised: readonly string[];
  /** Addresses of the node to which the LAN sends requests; the first is the node's InternalIP. */
  readonly own: readonly string[];
  /** True if br-ex has no NIC. */
  readonly isWithoutUplink?: boolean;
}

const ipv4 = { advertised: ['10.44.0.0'], own: ['192.0.2.50'] } as const;
const ipv6 = '2001:db8::50';
const bothNetworks = {
  clusterNetwork: ['10.42.0.0/16', 'fd01::/48'],
  serviceNetwork: ['10.43.0.0/16', 'fd02::/112'],
} as const;

export const ipv4Shapes: readonly MicroShiftShape[] = [
  { name: 'DHCP', lan: 'dhcp', ...ipv4 },
  { name: 'static', lan: 'static4', ...ipv4 },
  { name: 'no default route', lan: 'no-default-route', ...ipv4 },
  { name: 'node.nodeIP', lan: 'dhcp', config: { node: { nodeIP: '192.0.2.50' } }, ...ipv4 },
  { name: 'uplink: none', lan: 'dhcp', ovn: { uplink: 'none' }, isWithoutUplink: true, ...ipv4 },
];

export const ipv6Shapes: readonly MicroShiftShape[] = [
  {
    name: 'dual stack',
    lan: 'static-dual',
    config: { network: bothNetworks },
    advertised: ['10.44.0.0', 'fd02::1:0'],
    own: ['192.0.2.50', ipv6],
  },
  { name: 'IPv6 only', lan: 'v6only', advertised: ['fd02::1:0'], own: [ipv6] },
];

/**
 * Returns the shapes whose names contain one of the texts in the variable SHAPES, which semicolons separate; all shapes
 * if the variable is not set.
 */
export function wantedShapes(shapes: readonly MicroShiftShape[]): readonly MicroShiftShape[] {
  const wanted = (process.env.SHAPES ?? 'all').split(';').filter(Boolean);
  return shapes.filter(({ name }) => wanted.some((part) => part === 'all' || name.includes(part)));
}
