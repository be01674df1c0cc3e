import type { EncapType } from '../model/overlay.ts';

/** UDP ports at which tunnels end (IANA: geneve, vxlan). */
export const tunnelPorts: Readonly<Record<EncapType, number>> = { geneve: 6081, vxlan: 4789 };
