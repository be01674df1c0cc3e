import { AgentError } from '../../errors.ts';
import type { Observation } from '../../model/observation.ts';
import { textOf } from '../../model/profile-settings.ts';
import { shellWord } from '../../printable.ts';
import type { UplinkSource } from './source-profile.ts';

/**
 * Refuses a profile that leaves IPv6 to the kernel (ipv6.method ignore) on a link that accepts router advertisements.
 * Advertised addresses are in no profile and cannot move, and the time of the first advertisement would make two runs
 * with the same configuration differ. Fails with `interface-unsuitable`.
 */
export function refuseKernelIpv6({ id, settings, link }: UplinkSource, { kernelIpv6 = [] }: Observation): void {
  if (textOf(settings, 'ipv6', 'method') !== 'ignore' || !kernelIpv6.includes(link.name)) return;
  const modify = `nmcli connection modify ${shellWord(id)} ipv6.method`;
  throw new AgentError(
    'interface-unsuitable',
    `the profile ${id} leaves IPv6 to the kernel (ipv6.method ignore), and ${link.name} takes what routers advertise: that is in no profile, so it would not move to the bridge`,
    {
      hint: `decide: ${modify} auto (the LAN has IPv6) or ${modify} disabled (it has none); then: nmcli device reapply ${shellWord(link.name)}`,
      facts: { interface: link.name, profile: id },
    },
  );
}
