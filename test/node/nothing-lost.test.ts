// Each setting of an administrator's profile stays with the NIC or moves to a profile of the agent, or the plan reports
// why it does neither.
import t from 'tap';
import type { NmProfile, Observation } from '../../agent/model/observation.ts';
import type { Plan, WantedProfile } from '../../agent/model/plan.ts';
import type { ProfileSettings, SettingValue } from '../../agent/model/profile-settings.ts';
import { planApply } from '../../agent/plan/make-plan.ts';
import { configOf, readCase } from '../unit/plan/cases.ts';
import { nodeSkip } from './availability.ts';
import { type Checked, checkProfiles, everySetting, type SettingCase } from './every-setting.ts';

/** NetworkManager's settings for kinds of devices and connections that cannot be the uplink of a bridge. */
const otherDevices =
  /^(6lowpan|802-11-.*|adsl|bluetooth|cdma|geneve|gsm|hsr|infiniband|ip-tunnel|ipvlan|loopback|ovs-.*|ppp|pppoe|serial|vpn|vrf|wifi-p2p|wimax|wireguard|wpan)$/;

/** Properties that no test profile has, each with its reason. */
const withoutValue: Readonly<Record<string, string>> = {
  'connection.read-only': 'NetworkManager ignores it',
  'connection.type': 'each kind of profile has its own type',
  'connection.uuid': 'every profile has a UUID of its own',
  'connection.controller': 'only the profile of a port has it, and ports have kinds of their own',
  'connection.port-type': 'only the profile of a port has it',
  'connection.master': 'the old name of controller',
  'connection.slave-type': 'the old name of port-type',
  'ipv4.shared-dhcp-range': 'needs the method shared, with which a NIC is no uplink',
  'ipv6.shared-dhcp-range': 'for IPv4 only',
  'ipv6.shared-dhcp-lease-time': 'for IPv4 only',
  'ipv6.dhcp-dscp': 'for IPv4 only',
  'ipv6.dhcp-reject-servers': 'for IPv4 only',
  'macsec.mode': 'a second value needs 802.1X in the same profile',
};

/** Settings that differ in the agent's profile because it is the profile of a bridge. */
const ownWords =
  /^((connection|bond|bridge|team|vlan)\.interface-name|connection\.(id|uuid|type|controller|master|port-type|slave-type|timestamp)|user\.data|802-3-ethernet\.mtu)$/;

/** Properties of `connection` that follow the address to the bridge; the others stay in the profile of the NIC. */
const connectionOfAddress =
  /^(zone|mdns|llmnr|dns-over-tls|dnssec|metered|secondaries|stable-id|gateway-ping-timeout|ip-ping-.*|mptcp-flags|mud-url|permissions|autoconnect-retries)$/;

const skip = nodeSkip;
const all = skip ? [] : everySetting();
const plain = new Map(all.filter((entry) => entry.key === null).map((entry) => [entry.kind, entry.profile ?? {}]));
const cases = all.filter((entry) => entry.key !== null);
const ofUplinks = cases.filter((entry) => !otherDevices.test(entry.setting ?? ''));

t.test('every property has a value in some profile', { skip }, (t) => {
  const valued = new Set(cases.filter((entry) => entry.profile !== null).map(nameOf));
  t.ok(valued.size > 350, `${valued.size} properties`);
  for (const name of new Set(cases.map(nameOf))) {
    if (valued.has(name) || otherDevices.test(name.split('.')[0] ?? '') || name in withoutValue) continue;
    t.fail(`${name} is never tried: every-setting.py needs to know a value that libnm accepts`);
  }
  t.end();
});

t.test('every property is in a profile of the agent, or the plan says why not', { skip }, (t) => {
  const planned = ofUplinks.flatMap((entry) => (entry.profile === null ? [] : [{ entry, plan: planFor(entry) }]));
  const checked = checkProfiles(planned.map(({ plan }) => targets(plan).map((profile) => profile.settings)));
  for (const [index, { entry, plan }] of planned.entries()) {
    const problem = lost(entry, plan, checked[index] ?? []);
    if (problem !== null) t.fail(`${entry.kind}: ${nameOf(entry)} ${problem}`);
  }
  t.pass(`${planned.length} profiles`);
  t.end();
});

function nameOf({ setting, key }: SettingCase): string {
  return `${setting}.${key}`;
}

/** Returns a description of a property that got lost; null if it did not get lost. */
function lost(entry: SettingCase, plan: Plan, checked: readonly Checked[]): string | null {
  const refusal = checked.find((result) => 'refused' in result);
  if (refusal !== undefined && 'refused' in refusal) return `makes a profile that is refused: ${refusal.refused}`;
  // The NIC continues to run the administrator's profile, so settings of the device and all secrets are unchanged.
  if (entry.secret || staysWithNic(entry)) return null;
  const taken = checked.flatMap((result) => ('profile' in result ? [result.profile] : []));
  const said = plan.notes.map((note) => note.message).join('\n');
  for (const [key, value] of Object.entries(special(entry))) {
    const name = `${entry.setting}.${key}`;
    const isThere = taken.some((settings) => holds(settings[entry.setting ?? '']?.[key], value));
    if (!isThere && !ownWords.test(name) && !said.includes(name)) return `${JSON.stringify(value)} is lost`;
  }
  return null;
}

function staysWithNic({ kind, setting, key }: SettingCase): boolean {
  if (kind.startsWith('port of ')) return true;
  if (setting === 'connection') return !connectionOfAddress.test(key ?? '');
  return !/^(ipv4|ipv6|proxy|hostname|user)$/.test(setting ?? '');
}

/** Returns the properties of the setting that differ from those of a profile with default values. */
function special({ kind, setting, profile }: SettingCase): Record<string, SettingValue> {
  const usual = plain.get(kind)?.[setting ?? ''] ?? {};
  const legacy = /^(addresses|routes|dns)$/;
  return Object.fromEntries(
    Object.entries(profile?.[setting ?? ''] ?? {}).filter(
      ([key, value]) => !legacy.test(key) && JSON.stringify(usual[key]) !== JSON.stringify(value),
    ),
  );
}

function holds(value: SettingValue | undefined, wanted: SettingValue): boolean {
  return value !== undefined && JSON.stringify(value[1]) === JSON.stringify(wanted[1]);
}

/** Returns the agent's profiles that replace those of the administrator. */
function targets(plan: Plan): readonly WantedProfile[] {
  return plan.wanted.bridges.flatMap((bridge) => bridge.profiles.filter((profile) => /^ovs-if-/.test(profile.id)));
}

/** Returns a plan for a node whose uplink, or a port of it, has the profile. */
function planFor({ kind, profile }: SettingCase): Plan {
  const settings = withoutLegacy(profile ?? {});
  const observation = kind.startsWith('port of ')
    ? withProfile('bond-uuid', 'port0', settings)
    : withProfile('dhcp', 'eth0', settings);
  const decision = planApply(configOf(null), observation, true);
  if (decision.kind !== 'planned') throw new Error('the plan waits');
  return decision.plan;
}

/** Returns a node of test/cases/plan in which one profile has other settings, but the same id, UUID and interface. */
function withProfile(name: string, id: string, settings: ProfileSettings): Observation {
  const { observation } = readCase(name);
  const own = observation.networkManager.profiles.find((profile) => profile.id === id) as NmProfile;
  const identity = ['id', 'uuid', 'interface-name', 'master'];
  const kept = Object.entries(own.settings.connection ?? {}).filter(([key]) => identity.includes(key));
  const said = Object.entries(settings.connection ?? {}).filter(([key]) => ![...identity, 'controller'].includes(key));
  const changed: NmProfile = {
    ...own,
    settings: { ...settings, connection: { ...Object.fromEntries(said), ...Object.fromEntries(kept) } },
  };
  const profiles = observation.networkManager.profiles.map((profile) => (profile === own ? changed : profile));
  // The default route of the case came with a lease, which a profile without DHCP does not get.
  const isLeased = id !== 'eth0' || settings.ipv4?.method?.[1] === 'auto';
  const routes = observation.routes.filter((route) => isLeased || route.destination !== '0.0.0.0/0');
  return { ...observation, routes, networkManager: { ...observation.networkManager, profiles } };
}

/** Removes the deprecated properties that repeat newer ones, as the driver does with NetworkManager's answers. */
function withoutLegacy(settings: ProfileSettings): ProfileSettings {
  const modern: Readonly<Record<string, string>> = { addresses: 'address-data', routes: 'route-data', dns: 'dns-data' };
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [
      name,
      Object.fromEntries(
        Object.entries(setting).filter(
          ([key]) =>
            !(name.startsWith('ipv') && (modern[key] ?? '') in setting) &&
            !(key === 'mac-address-denylist' && 'mac-address-blacklist' in setting),
        ),
      ),
    ]),
  );
}
