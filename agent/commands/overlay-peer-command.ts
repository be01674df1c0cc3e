import { withLock } from '../run/lock.ts';
import { type PeerOptions, peerOf } from '../run/overlay/membership/peer-request.ts';
import { addPeer, listPeers, removePeer } from '../run/overlay/membership/set-peers.ts';
import { peerAddDocument, peerListDocument, peerRemoveDocument } from '../view/json/overlay-peer-json.ts';
import { peerAddedText, peerRemovedText, peersText } from '../view/overlay-peer-view.ts';
import type { Output } from './output.ts';
import { startOverlay } from './overlay-start-command.ts';
import { terminalWidth } from './terminal-width.ts';

/** `overlay peer add NAME`: connects this cluster with a peer; runs on the central node. */
export async function add(name: string, options: PeerOptions, output: Output): Promise<void> {
  const command = 'overlay peer add';
  const { config, places } = await startOverlay(command);
  const peer = peerOf(name, options);
  const { changes } = await withLock(command, () => addPeer(peer, config, places, output.say), output.say);
  output.result(peerAddedText(peer, changes), peerAddDocument(peer, changes));
}

/** `overlay peer remove NAME`: removes a peer with its rows and flows; runs on the central node. */
export async function remove(name: string, output: Output): Promise<void> {
  const command = 'overlay peer remove';
  const { places } = await startOverlay(command);
  const { changes } = await withLock(command, () => removePeer(name, places, output.say), output.say);
  output.result(peerRemovedText(name, changes), peerRemoveDocument(name, changes));
}

/** `overlay peer list`: lists the peers with the routes that each needs; runs on the central node. */
export async function list(output: Output): Promise<void> {
  const { places } = await startOverlay('overlay peer list');
  const peers = await listPeers(places);
  output.result(peersText(peers, output.style, terminalWidth(process.stdout)), peerListDocument(peers));
}
