/**
 * Units that react to events and to requests for a repair of br-ex. They run from the installation on, with or without
 * a br-ex.
 */
export const watchUnits = [
  'microshift-net-repair.path',
  'microshift-net-event.path',
  'microshift-net-uplink.path',
  'microshift-net-uplink.socket',
] as const;

/**
 * Unit that detaches the NICs of `bridge add` from their bridges when Open vSwitch stops. systemd runs the commands for
 * this only if the unit is active at that time.
 */
export const bridgesUnit = 'microshift-net-bridges.service';
