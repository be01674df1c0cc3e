import { differenceLine, inWords } from '../compare/in-words.ts';
import { missingFromBridge } from '../compare/manual-bridge.ts';
import { bridges as ownBridges, ownProfileIds, profileIds, profileUuid } from '../model/names.ts';
import {
  type NmProfile,
  type Observation,
  type OvsBridge,
  type OvsInterface,
  prefixedAddress,
} from '../model/observation.ts';
import type { Difference } from '../model/plan.ts';
import { stringsOf } from '../model/profile-settings.ts';
import { planTuning } from '../plan/tuning/plan-tuning.ts';
import { isMadeUp } from '../plan/uplink/external-profile.ts';
import { activeProfile, isProfileFor } from '../plan/uplink/source-profile.ts';
import { shellWord } from '../printable.ts';
import { advice, type Check, type Finding, failed, given, notApplicable, ok, verdictOf, warning } from './finding.ts';

/** Number of differences from the desired state that a check shows; further ones rarely add information. */
const shownDifferences = 8;

/** Checks of the configuration of the NIC and br-ex, and of the programs that configure them. */
export const profileChecks: readonly Check[] = [
  {
    id: 'drift',
    title: 'the node is what ovn.yaml says',
    judge: ({ config: read }, { config, observation, plan, refusal }) => {
      if (observation === null) return notApplicable('unknown without NetworkManager and Open vSwitch');
      if (read.failure !== null) return notApplicable('unknown without a valid configuration');
      if (config.disableOvsInit.value) {
        const lacks = missingFromBridge(observation, config.uplink.value === 'none');
        return verdictOf(
          lacks.map(({ what, fix }) => failed(what, fix)),
          `${config.disableOvsInit.source} leaves br-ex to you, and it has all that ovn-kubernetes needs`,
        );
      }
      if (refusal !== null) return failed(refusal.message, advice(refusal.hint));
      const tuning =
        observation.tuning === undefined ? [] : planTuning(config, observation.tuning, observation.ovs).differences;
      const differences = [...(plan?.differences ?? []).map(inWords), ...tuning];
      const mend = ['microshift-net plan', 'microshift-net apply'];
      return differences.length === 0
        ? ok(`br-ex is in the desired state${plan?.choice?.interface == null ? '' : `, with ${plan.choice.interface}`}`)
        : { verdict: 'failed', found: differencesText(differences), fix: mend };
    },
  },
  {
    id: 'leftovers',
    title: 'nothing is left of earlier runs',
    judge: ({ networkManager, ovs, files, network }, { plan, config }) =>
      given(networkManager, ({ profiles }) =>
        given(ovs, ({ bridges }) => {
          // `apply` does not remove the remains of earlier runs if the administrator creates br-ex.
          const mend = (byHand: string): string => (config.disableOvsInit.value ? byHand : 'microshift-net apply');
          const isSurplus = (name: string): boolean =>
            plan?.differences.some(({ kind, bridge }) => kind === 'surplus' && bridge === name) ?? false;
          // `apply` does not change a bridge of another program, even if it has one of the agent's names.
          const isPlanned = (name: string): boolean =>
            plan === null ? isOurs(name) : plan.wanted.bridges.some(({ bridge }) => bridge === name) || isSurplus(name);
          const mendBridge = (name: string, byHand: string): string => (isPlanned(name) ? mend(byHand) : byHand);
          const ofBridge = ({ name, externalIds }: OvsBridge): Finding | false => {
            const owner = externalIds['NM.connection.uuid'];
            if (owner !== undefined && !profiles.some((profile) => profile.uuid === owner)) {
              const fix = mendBridge(name, `ovs-vsctl del-br ${name}`);
              return failed(`bridge ${name} belongs to a profile that is gone`, fix);
            }
            return isSurplus(name) && failed(`bridge ${name} is not wanted any more`, 'microshift-net apply');
          };
          const ofPort = (bridge: string, { name, type }: OvsInterface): Finding | false => {
            const link = network.value?.links.find((one) => one.name === name);
            const address = link?.addresses.find((one) => one.scope === 'global');
            if (address === undefined || type === 'internal') return false;
            return failed(
              `${name} is a port of ${bridge} and still has ${address.address}, which is unreachable there`,
              mendBridge(bridge, `ip address delete ${prefixedAddress(address)} dev ${name}`),
            );
          };
          const complaints = [
            ...profiles
              .filter((entry) => entry.id.endsWith('-slave-ovs-clone'))
              .map(({ id, uuid, filename }) => {
                const what = `profile ${id} is a copy that configure-ovs.sh made${place(filename)}; it takes a port of a bond or team from its own profile`;
                return failed(what, `nmcli connection delete uuid ${uuid}`);
              }),
            ...profiles.filter(isFormer).map(({ id, uuid, filename }) => {
              const what = `profile ${id} (${uuid})${place(filename)} is of configure-ovs.sh`;
              return failed(what, mend(`nmcli connection delete uuid ${uuid}`));
            }),
            ...(files.value?.leftovers ?? []).map((path) => {
              const what = `${path} is an incomplete profile: the program that wrote it was interrupted`;
              return warning(what, `rm ${shellWord(path)} && nmcli connection reload`);
            }),
            ...bridges.flatMap((bridge) => [
              ofBridge(bridge),
              ...bridge.ports.flatMap((port) => port.interfaces.map((entry) => ofPort(bridge.name, entry))),
            ]),
          ];
          return verdictOf(complaints, 'no profile or bridge of an earlier run is in the way');
        }),
      ),
  },
  {
    id: 'initrd-profiles',
    title: 'no profile of the initrd competes',
    judge: ({ networkManager, network }) =>
      given(networkManager, ({ profiles }) => {
        const words = network.value?.commandLine ?? [];
        // The agent's own profiles do not count as profiles of the initrd: they may contain settings of an initrd
        // profile, but do not exist at the next boot.
        const made = profiles.filter((profile) => isOfInitrd(profile) && !ownProfileIds.has(profile.id));
        const args = words.length === 0 ? 'ip=…' : words.join(' ');
        return verdictOf(
          made.map(({ id }) =>
            warning(
              `profile ${id} was made by the initrd from the kernel command line (${args}): what it says comes back at every boot`,
              `grubby --update-kernel=ALL --remove-args="${args}" # to keep the NIC's settings in a profile of your own`,
            ),
          ),
          words.length === 0 ? 'the kernel command line configures no link' : `kernel command line: ${words.join(' ')}`,
        );
      }),
  },
  {
    id: 'owners',
    title: 'no other program configures the NIC',
    judge: ({ network, networkManager, units }, { uplink, plan, observation }) =>
      given(network, ({ links, dhcpClients, networkdLinks, scriptedLinks }) => {
        const wanted = (plan?.wanted.bridges ?? []).flatMap((entry) => [entry.bridge, entry.uplink?.interface]);
        const ours = [uplink, ...ownBridges.map((names) => names.bridge), ...wanted];
        const concerned = links.map((link) => link.name).filter((name) => ours.includes(name));
        const runs = (name: string): boolean =>
          units.value?.some((unit) => unit.name === name && unit.active === 'active') ?? false;
        const scripts = ['network.service', 'networking.service'].filter(runs);
        // The state files of systemd-networkd about its links are ignored while it does not run: it keeps them when it
        // stops (RuntimeDirectoryPreserve=yes of its unit).
        const networkd = units.value === null || runs('systemd-networkd.service') ? networkdLinks : [];
        const complaints = [
          ...dhcpClients
            .filter(({ command }) => concernsAny(command, concerned))
            .map(({ pid, command }) => {
              const what = `a second DHCP client runs: ${command.join(' ')} (pid ${pid})`;
              return failed(what, `kill ${pid} # and disable what starts it`);
            }),
          ...networkd
            .filter((name) => concerned.includes(name))
            .map((name) =>
              failed(
                `systemd-networkd configures ${name}, too`,
                `networkctl reload # with [Link] Unmanaged=yes in a .network file for ${name}`,
              ),
            ),
          // The complaints about ifcfg files come before those about the network scripts, so that the user migrates a
          // file before disabling the scripts that read it.
          ...(networkManager.value?.profiles ?? []).filter(isIfcfg).map(({ id, filename }) => {
            const what = `profile ${id} is an ifcfg file (${filename}), which NetworkManager reads only with its old plugin`;
            return warning(what, `nmcli connection migrate ${shellWord(id)}`);
          }),
          ...(observation === null ? [] : displacedProfiles(concerned, observation)).map(([name, { id, uuid }]) => {
            const what = `${name} runs what NetworkManager made up of its addresses, and not its profile ${id}: what that says does not count, and no lease is renewed`;
            return failed(what, `nmcli connection up uuid ${uuid}`);
          }),
          ...scriptedLinks
            .filter(({ link }) => scripts.length > 0 && concerned.includes(link))
            .map(({ link, file }) => {
              const what = `the old network scripts configure ${link}, too (${file})`;
              return failed(what, `systemctl disable ${scripts.join(' ')} # takes effect at the next boot`);
            }),
        ];
        return verdictOf(complaints, `only NetworkManager configures ${concerned.join(', ')}`);
      }),
  },
  {
    id: 'checkpoints',
    title: 'no other program has an open checkpoint',
    judge: ({ networkManager, files }) =>
      given(networkManager, ({ checkpoints }) => {
        const journals = files.value?.journals;
        if (checkpoints.length === 0) return ok('no checkpoint is open');
        if (journals?.running != null || journals?.open.some((entry) => entry.ofThisBoot))
          return ok('one is of a run that is in progress');
        return warning(
          `${checkpoints.length} open: when it is rolled back (Cockpit, nmstate), what was changed since is lost`,
          'microshift-net verify # once the change in the other tool is finished or cancelled',
        );
      }),
  },
];

/**
 * Returns each link whose active profile NetworkManager has generated (connected externally), although the link has
 * another profile with autoconnect; the other profile is returned with the link. The case occurs after two crashes of
 * NetworkManager in a row: NetworkManager then finds addresses whose profile it has not recorded (nm-manager.c,
 * get_existing_connection).
 */
function displacedProfiles(
  names: readonly string[],
  observation: Observation,
): readonly (readonly [name: string, profile: NmProfile])[] {
  return names.flatMap((name) => {
    const active = activeProfile(name, observation);
    if (active === undefined || !isMadeUp(active, observation)) return [];
    const own = observation.networkManager.profiles.find(
      (profile) =>
        profile !== active && isProfileFor(profile, name) && profile.settings.connection?.autoconnect?.[1] !== false,
    );
    return own === undefined ? [] : [[name, own] as const];
  });
}

/** Returns true for a profile that has a name that configure-ovs.sh uses, and that this agent has not created. */
function isFormer({ id, uuid }: NmProfile): boolean {
  return (
    ownProfileIds.has(id) && !ownBridges.some((names) => profileIds(names).includes(id) && profileUuid(id) === uuid)
  );
}

/** Returns true for a profile of NetworkManager's initrd generator, which writes its own name into each profile. */
function isOfInitrd({ settings }: NmProfile): boolean {
  return stringsOf(settings, 'user', 'data')['org.freedesktop.NetworkManager.origin'] === 'nm-initrd-generator';
}

function isIfcfg({ filename }: NmProfile): boolean {
  return filename.startsWith('/etc/sysconfig/network-scripts/');
}

function isOurs(name: string): boolean {
  return ownBridges.some((names) => names.bridge === name);
}

function place(filename: string): string {
  return filename === '' ? '' : ` in ${filename}`;
}

/**
 * Returns true if a DHCP client serves one of the links; a client without a link name in its arguments serves every
 * link.
 */
function concernsAny(command: readonly string[], links: readonly string[]): boolean {
  const words = command.slice(1).filter((word) => !word.startsWith('-') && !word.startsWith('/'));
  return words.length === 0 || words.some((word) => links.includes(word));
}

function differencesText(differences: readonly Difference[]): readonly string[] {
  const shown = differences.slice(0, shownDifferences).map(differenceLine);
  const more = differences.length - shown.length;
  return more === 0 ? shown : [...shown, `and ${more} more: microshift-net verify`];
}
