/** Where Open vSwitch keeps its sockets. */
export const runDirectory = '/run/openvswitch';

/** Where ovsdb-server listens. */
export const databaseSocket = (directory = runDirectory): string => `unix:${directory}/db.sock`;
