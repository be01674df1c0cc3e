// Prints the order in which two interfaces get their MACs and the waits for them end. Changes the interfaces of its
// network namespace.
import { execFileSync } from 'node:child_process';
import { waitForDevice } from '../../../../../agent/run/overlay/node/wait-for-device.ts';

const ip = (words: string): Buffer => execFileSync('ip', words.split(' '));
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const [mac, otherMac] = ['0a:58:0a:2a:01:02', '0a:58:0a:2a:02:02'];

ip('link add mp0 type veth peer name peer0');
const waited = waitForDevice('mp0', mac, say).then(() => say('mp0 is awaited'));
ip(`link add other address ${otherMac} type veth peer name peer1`);
await waitForDevice('other', otherMac, say);
say('other is awaited');
ip(`link set dev mp0 address ${mac}`);
say('mp0 has its MAC');
await waited;
