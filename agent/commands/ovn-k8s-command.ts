import type { GatewayWords, NodeRequest, NodeWords } from '../model/ovn-k8s.ts';
import { withLock } from '../run/lock.ts';
import { initNode } from '../run/overlay/ovn-k8s/init-node.ts';
import { gatewayRequest, nodeRequest } from '../run/overlay/ovn-k8s/node-request.ts';
import { stoppable } from '../run/stoppable.ts';
import { changesLines } from '../view/overlay-view.ts';
import type { Output } from './output.ts';
import { startOverlay } from './overlay-start-command.ts';

const program = 'ovn-k8s-overlay';

/** `ovn-k8s-overlay master-init`: begins a cluster with this node as its first node. */
export function masterInit(words: NodeWords & { readonly masterSwitchSubnet: string }, output: Output): Promise<void> {
  const request = nodeRequest(words, '--master-switch-subnet', words.masterSwitchSubnet, true);
  return init('master-init', request, words, output);
}

/** `ovn-k8s-overlay minion-init`: makes this node a member of the cluster. */
export function minionInit(words: NodeWords & { readonly minionSwitchSubnet: string }, output: Output): Promise<void> {
  const request = nodeRequest(words, '--minion-switch-subnet', words.minionSwitchSubnet, false);
  return init('minion-init', request, words, output);
}

/** `ovn-k8s-overlay gateway-init`: makes this node a gateway of the cluster. */
export function gatewayInit(words: GatewayWords, output: Output): Promise<void> {
  return init('gateway-init', gatewayRequest(words), words, output);
}

async function init(command: string, request: NodeRequest, words: NodeWords, output: Output): Promise<void> {
  const { places } = await startOverlay(command, program);
  const changes = await withLock(
    `${program} ${command}`,
    () =>
      stoppable(output.say, (stop) => initNode(request, words, { ...places, stop }, output.say), {
        state: 'no row is half written, and the same command goes on',
      }),
    output.say,
  );
  for (const line of changesLines(changes, output.progressStyle)) output.say(line);
  // Last line that ovn-k8s-overlay of 2017 printed, for which scripts may search.
  output.result('Initialization complete.', null);
}
