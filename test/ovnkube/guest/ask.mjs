// Prints the greeting of a server, or nothing if the server waits for a request: ask.mjs ADDRESS PORT. Ends with 1 if no server answers.
import { connect } from 'node:net';

const [host, port] = process.argv.slice(2);
const quietMs = 1000;
const socket = connect({ host, port: Number(port) });
socket.on('error', () => process.exit(1));
socket.on('connect', () => socket.setTimeout(quietMs, () => process.exit(0)));
socket.on('data', (text) => process.stdout.write(text)).on('end', () => process.exit(0));
