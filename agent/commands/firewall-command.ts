import { effectiveConfig } from '../config/effective.ts';
import { openFirewalld } from '../drivers/firewalld/firewalld-client.ts';
import { readLinks } from '../drivers/host/kernel/links.ts';
import { readRoutes } from '../drivers/host/kernel/routes.ts';
import { type ExitCode, exitCode } from '../errors.ts';
import { onSystemBus } from '../facts/system-bus.ts';
import { trustedZone } from '../model/firewall.ts';
import { configOnNode } from '../plan/microshift-needs.ts';
import { planFirewall, trustedSources } from '../plan/tuning/plan-firewall.ts';
import { commandsText, firewallText } from '../view/firewall-view.ts';
import { firewallApplyDocument, firewallCheckDocument } from '../view/json/node-json.ts';
import type { Output } from './output.ts';
import { requireRoot } from './root.ts';

/**
 * `firewall check|apply`: checks that firewalld accepts traffic of pods, or makes firewalld accept the traffic. A check
 * ends with exit code 3 if firewalld does not trust all necessary sources. Without firewalld, a check succeeds, and
 * `apply` ends with exit code 5.
 */
export async function firewall(action: 'check' | 'apply', output: Output): Promise<ExitCode> {
  requireRoot(`firewall ${action}`);
  const { config: written } = await effectiveConfig();
  const config = configOnNode(written, { links: readLinks(), routes: readRoutes() });
  const wanted = trustedSources(config);
  const documentOf = action === 'check' ? firewallCheckDocument : firewallApplyDocument;
  return onSystemBus(async (bus) => {
    const firewalld = await openFirewalld(bus);
    if (firewalld === null) {
      output.result(commandsText(wanted, action), documentOf(wanted, null));
      return action === 'check' ? exitCode.done : exitCode.dependency;
    }
    const plan = planFirewall(config, await firewalld.sources(trustedZone));
    const complete = plan.addRunning.length + plan.addPermanent.length === 0;
    if (action === 'check') {
      output.result(firewallText(plan, output.style), documentOf(wanted, plan));
      return complete ? exitCode.done : exitCode.drift;
    }
    // The runtime configuration is changed first: if firewalld refuses a source there, the command ends before it
    // changes the permanent configuration.
    for (const source of plan.addRunning) await firewalld.addRunning(plan.zone, source);
    for (const source of plan.addPermanent) await firewalld.addPermanent(plan.zone, source);
    const after = planFirewall(config, await firewalld.sources(trustedZone));
    const first = complete ? 'Nothing to do.' : 'Done, without a reload.';
    output.result(`${first} ${firewallText(after, output.style)}`, documentOf(wanted, plan));
    return exitCode.done;
  });
}
