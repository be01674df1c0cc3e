/** Hint of an error whose cause is that Open vSwitch does not run. */
export const startSwitch = 'start Open vSwitch: systemctl start openvswitch (Debian: openvswitch-switch)';
