import { type IsolationOptions, isolationFrom } from '../run/overlay/isolation/isolation-request.ts';
import { disableIsolation, enableIsolation, readReach } from '../run/overlay/isolation/set-isolation.ts';
import {
  isolationDisableDocument,
  isolationEnableDocument,
  isolationShowDocument,
} from '../view/json/overlay-isolation-json.ts';
import { isolationDisabledText, isolationEnabledText, reachText } from '../view/overlay-isolation-view.ts';
import type { Output } from './output.ts';
import { startOverlay } from './overlay-start-command.ts';
import { terminalWidth } from './terminal-width.ts';

/** Options of all commands `overlay isolation …`. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
}

/** Options of `overlay isolation enable`. */
export type EnableOptions = IsolationOptions & ClusterOptions;

/** `overlay isolation enable`: separates the namespaces of the cluster; runs on the central node. */
export async function enable(options: EnableOptions, output: Output): Promise<void> {
  const { config, places } = await startOverlay('overlay isolation enable');
  const isolation = isolationFrom(options);
  const kubeconfig = options.kubeconfig ?? config.overlay.kubeconfig.value;
  const isChanged = await enableIsolation(isolation, kubeconfig, places, output.say);
  output.result(isolationEnabledText(isolation, isChanged), isolationEnableDocument(isolation, isChanged));
}

/** `overlay isolation disable`: removes the separation of namespaces; runs on the central node. */
export async function disable(options: ClusterOptions, output: Output): Promise<void> {
  const { config, places } = await startOverlay('overlay isolation disable');
  const kubeconfig = options.kubeconfig ?? config.overlay.kubeconfig.value;
  const isChanged = await disableIsolation(kubeconfig, places, output.say);
  output.result(isolationDisabledText(isChanged), isolationDisableDocument(isChanged));
}

/** `overlay isolation show`: prints which namespaces reach which; runs on the central node. */
export async function show(options: ClusterOptions, output: Output): Promise<void> {
  const { config, places } = await startOverlay('overlay isolation show');
  const matrix = await readReach(options.kubeconfig ?? config.overlay.kubeconfig.value, places);
  output.result(reachText(matrix, output.style, terminalWidth(process.stdout)), isolationShowDocument(matrix));
}
