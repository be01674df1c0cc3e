/** Hint of an error whose cause is that Open vSwitch is not running. */
export const startSwitch = 'start Open vSwitch: systemctl start openvswitch (Debian: openvswitch-switch)';
