// Second address of the system bus, which a test can interrupt: SIGUSR1 ends every connection, and SIGKILL also removes
// the address.

export const busProxyPath = '/usr/local/bin/bus-proxy';
/** Environment with which a command uses the bus through the proxy. */
export const busProxyEnv = { DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/run/testnode/bus' };
/** Shell text that starts the proxy, which prints "listening". */
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
