/** Units that see events and ask for a look at br-ex, or wait for who asks. They run from the installation on, whether or not there is a br-ex. */
export const watchUnits = [
  'microshift-net-repair.path',
  'microshift-net-event.path',
  'microshift-net-uplink.path',
] as const;

/** Has the bridges of `bridge add` given back when Open vSwitch stops, for which it has to be active. */
export const bridgesUnit = 'microshift-net-bridges.service';
