import type { PortOptions } from '../model/overlay-port.ts';
import { withLock } from '../run/lock.ts';
import { addPort, listPorts, removePort } from '../run/overlay/membership/set-ports.ts';
import { portAddDocument, portListDocument, portRemoveDocument } from '../view/json/overlay-port-json.ts';
import { portAddedText, portRemovedText, portsText } from '../view/overlay-port-view.ts';
import type { Output } from './output.ts';
import { startOverlay } from './overlay-start-command.ts';
import { terminalWidth } from './terminal-width.ts';

/** `overlay port add NAME`: connects hosts that are not pods to a node's switch; runs on the central node. */
export async function add(name: string, options: PortOptions, output: Output): Promise<void> {
  const command = 'overlay port add';
  const { places } = await startOverlay(command);
  const { state, changes } = await withLock(command, () => addPort(name, options, places, output.say), output.say);
  output.result(portAddedText(state, changes), portAddDocument(state, changes));
}

/** `overlay port remove NAME`: removes a port with its rows and addresses; runs on the central node. */
export async function remove(name: string, output: Output): Promise<void> {
  const command = 'overlay port remove';
  const { places } = await startOverlay(command);
  const { changes } = await withLock(command, () => removePort(name, places, output.say), output.say);
  output.result(portRemovedText(name, changes), portRemoveDocument(name, changes));
}

/** `overlay port list`: lists the ports with their hosts; runs on the central node. */
export async function list(output: Output): Promise<void> {
  const { places } = await startOverlay('overlay port list');
  const ports = await listPorts(places);
  output.result(portsText(ports, output.style, terminalWidth(process.stdout)), portListDocument(ports));
}
