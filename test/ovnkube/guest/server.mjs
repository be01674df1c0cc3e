// Sends its name to every client: server.mjs NAME
import { createServer } from 'node:net';

const [name] = process.argv.slice(2);
createServer((socket) => socket.on('error', () => {}).end(`${name}, asked by ${socket.remoteAddress}\n`)).listen(8080);
