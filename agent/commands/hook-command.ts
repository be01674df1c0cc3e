import { existsSync } from 'node:fs';
import { defaultConfig } from '../config/defaults.ts';
import { usableConfig } from '../config/effective.ts';
import { isNetworkHidden, runInMachineNetwork, whyNothingRuns } from '../drivers/host/process/machine-network.ts';
import { asAgentError } from '../errors.ts';
import { planRemoval, planTuning } from '../plan/tuning/plan-tuning.ts';
import { type HookEvent, runHook } from '../run/hooks.ts';
import { overlayPlaces } from '../run/overlay/record/places.ts';
import { disable } from './apply-command.ts';
import { detachForStop } from './bridge-command.ts';
import type { Output } from './output.ts';
import { requireRoot } from './root.ts';

/**
 * Path at which the package installs this program. A hook that cannot see the machine's network starts the program
 * again by this path.
 */
const program = '/usr/bin/microshift-net';

/**
 * `hook …`: handles an event of the package's scriptlets. If root runs it, the exit code is 0 even after a failure,
 * because a fault of the network must not make a package transaction fail.
 */
export async function hook(event: HookEvent, output: Output): Promise<void> {
  requireRoot(`hook ${event}`);
  if (whyNothingRuns() === null && isNetworkHidden()) {
    // The hook runs again in the network namespace of the machine, where its exit code is always 0. Any other exit code
    // comes from nsenter(1).
    if ((await runInMachineNetwork(program, 'hook', event).catch(() => 1)) === 0) return;
    output.say('microshift-net: warning: the network of this machine cannot be seen from here');
  }
  const { config } = await usableConfig().catch((error: unknown) => {
    output.say(`warning: ${asAgentError(error).message}; the defaults are used`);
    return { config: defaultConfig };
  });
  if (event === 'pre-uninstall' && existsSync(overlayPlaces.record)) {
    output.say(
      'microshift-net: this node stays in its overlay, where no pod starts until the package is back and microshift-net-overlay.service runs; `microshift-net overlay disable` before a removal ends it',
    );
  }
  const planner = event === 'pre-uninstall' ? planRemoval : planTuning;
  await runHook(event, {
    say: (message) => output.say(`microshift-net: ${message}`),
    planTuning: (facts, ovs) => planner(config, facts, ovs),
    disable: async () => {
      // With disableOVSInit, br-ex stays, because the administrator created it.
      if (config.disableOvsInit.value) await detachForStop(output);
      else await disable({ all: true, dryRun: false }, output);
    },
  });
}
