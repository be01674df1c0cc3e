// The system bus at a second address, which can be lost: SIGUSR1 cuts every connection, SIGKILL takes the address away
// too.

export const busProxyPath = '/usr/local/bin/bus-proxy';
/** Where a command finds the bus through the proxy. */
export const busProxyEnv = { DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/run/testnode/bus' };
/** Starts the proxy; it prints "listening". */
export const startBusProxy = 'rm -f /run/testnode/bus; exec bus-proxy /run/testnode/bus';

export const busProxy = `#!/usr/bin/env node
const net = require('node:net');
const connections = new Set();
net.createServer((client) => {
  const bus = net.connect('/run/dbus/system_bus_socket');
  for (const [from, to] of [[client, bus], [bus, client]]) {
    connections.add(from);
    from.pipe(to);
    from.on('error', () => {});
    from.on('close', () => { connections.delete(from); to.destroy(); });
  }
}).listen(process.argv[2], () => console.log('listening'));
process.on('SIGUSR1', () => { for (const connection of connections) connection.destroy(); });
`;
