import type { UnitFacts } from '../model/examination.ts';
import { tunHint } from '../plan/bridge/tap.ts';
import { advice, type Check, type Finding, failed, given, notApplicable, ok, verdictOf, warning } from './finding.ts';
import { bugsOf, fixFor, type KnownBug, networkManagerBugs, openVSwitchBugs } from './known-bugs.ts';
import { unitNamed } from './unit-checks.ts';

/**
 * Checks of the services that the agent uses: they must be running and answer, and have no known bugs that affect the
 * agent.
 */
export const serviceChecks: readonly Check[] = [
  {
    id: 'networkmanager',
    title: 'NetworkManager answers',
    judge: ({ networkManager, units }) => {
      const { failure, value } = networkManager;
      if (failure === null) return ok(`NetworkManager ${value.version} answers`);
      const unit = unitNamed(units, 'NetworkManager.service');
      const finding = silent(unit, failure.message, 'systemctl restart NetworkManager');
      const startBus = ['systemctl status dbus.socket dbus.service dbus-broker.service', 'systemctl start dbus.socket'];
      return failure.kind.startsWith('dbus-') ? { ...finding, fix: startBus } : finding;
    },
  },
  {
    id: 'networkmanager-version',
    title: 'NetworkManager has no known bug',
    judge: ({ networkManager }) =>
      given(networkManager, ({ version }) => versionFinding('NetworkManager', version, networkManagerBugs)),
  },
  {
    id: 'ovs-plugin',
    title: "NetworkManager's Open vSwitch plugin",
    judge: ({ networkManager }) =>
      given(networkManager, ({ ovsPlugin }) => {
        if (ovsPlugin) return ok('NetworkManager has loaded it');
        return failed(
          'NetworkManager runs without it, so it can make no bridge',
          'dnf install NetworkManager-ovs # on Debian: apt install network-manager-ovs',
          'systemctl restart NetworkManager',
        );
      }),
  },
  {
    id: 'wait-online',
    title: 'NetworkManager-wait-online',
    judge: ({ units }) =>
      given(units, () => {
        const name = 'NetworkManager-wait-online.service';
        const unit = unitNamed(units, name);
        if (unit === null || unit.load === 'not-found') return notApplicable(`${name} does not exist`);
        const why = 'so services that wait for network-online.target start before the node has its addresses';
        if (unit.load === 'masked')
          return warning(`${name} is masked, ${why}`, `systemctl unmask ${name}`, `systemctl enable ${name}`);
        if (unit.file === 'disabled') return warning(`${name} is disabled, ${why}`, `systemctl enable ${name}`);
        return ok(`${name} is ${unit.file}`);
      }),
  },
  {
    id: 'ovsdb',
    title: "Open vSwitch's database answers",
    judge: ({ ovs, units }) => {
      if (ovs.failure === null) return ok(`ovsdb-server answers, with ${count(ovs.value.bridges.length, 'bridge')}`);
      return silent(
        unitNamed(units, 'ovsdb-server.service'),
        ovs.failure.message,
        'journalctl -b -u ovsdb-server',
        restartOvs,
      );
    },
  },
  {
    id: 'vswitchd',
    title: 'ovs-vswitchd answers and has done its work',
    judge: ({ vswitchd, ovs, units }) => {
      const mend = ['journalctl -b -u ovs-vswitchd', 'systemctl restart ovs-vswitchd'];
      if (vswitchd.failure !== null)
        return silent(unitNamed(units, 'ovs-vswitchd.service'), vswitchd.failure.message, ...mend);
      return given(ovs, ({ nextCfg, curCfg }) => {
        if (curCfg >= nextCfg) return ok('it answers, and has taken over the whole database');
        const behind = `it answers, but has taken over change ${curCfg} of ${nextCfg}`;
        return failed(behind, ...mend);
      });
    },
  },
  {
    id: 'openvswitch-version',
    title: 'Open vSwitch has no known bug',
    judge: ({ ovs }, { config }) =>
      given(ovs, ({ version, bridges }) => {
        const userspace =
          config.ovs.datapathType.value === 'netdev' || bridges.some((bridge) => bridge.datapathType === 'netdev');
        const bugs = openVSwitchBugs.filter((bug) => userspace || bug.userspaceOnly !== true);
        return version === null
          ? notApplicable('the database does not say which version it is')
          : versionFinding('Open vSwitch', version, bugs);
      }),
  },
  {
    id: 'datapath',
    title: 'the data path carries the bridges',
    judge: ({ ovs, network }, { config }) =>
      given(network, ({ openvswitchModule, lacksTun, links, kernel }) =>
        given(ovs, ({ bridges }) => {
          const wanted =
            config.ovs.datapathType.value === 'system' || bridges.some((bridge) => bridge.datapathType !== 'netdev');
          const absent = bridges.filter((bridge) => !links.some((link) => link.name === bridge.name));
          const interfaces = bridges.flatMap((bridge) =>
            bridge.ports.flatMap((port) => port.interfaces.map((entry) => ({ bridge: bridge.name, ...entry }))),
          );
          return verdictOf(
            [
              wanted &&
                openvswitchModule === 'missing' &&
                failed(
                  'this kernel has no module openvswitch, so bridges of type system carry nothing',
                  `dnf install kernel-modules-core-${kernel} kernel-modules-extra-${kernel}`,
                  advice('or in /etc/microshift/ovn.yaml: ovs: {datapathType: netdev}'),
                ),
              lacksTun === true &&
                config.ovs.datapathType.value === 'netdev' &&
                failed(
                  '/dev/net/tun is not there, so Open vSwitch cannot make br-ex in the userspace data path',
                  tunHint,
                ),
              ...absent.map((bridge) =>
                failed(
                  `${bridge.name} is in the database, but the kernel has no such link`,
                  'journalctl -b -u ovs-vswitchd',
                  'modprobe openvswitch && systemctl restart ovs-vswitchd',
                ),
              ),
              ...interfaces.map(
                ({ name, bridge, error }) =>
                  error !== null &&
                  failed(
                    `${name} in ${bridge} does not work: ${error}`,
                    `ip link show ${name}`,
                    `ovs-vsctl del-port ${bridge} ${name} # if it is not wanted there`,
                  ),
              ),
            ],
            `the kernel module openvswitch is ${openvswitchModule}`,
            ...bridges.map((bridge) => `${bridge.name}: ${bridge.datapathType || 'system'}, no port has an error`),
          );
        }),
      ),
  },
];

/** Command that starts both daemons of Open vSwitch, or restarts them. */
export const restartOvs = 'systemctl restart openvswitch # openvswitch-switch on Debian';

function versionFinding(who: string, version: string, bugs: readonly KnownBug[]): Finding {
  const complaints = bugsOf(version, bugs).map((bug) => {
    const fix = advice(
      `update ${who} to ${fixFor(version, bug)} or later; your distribution may have put the fix into an older version`,
    );
    return warning(`${who} ${version} ${bug.what.startsWith('CVE') ? 'has ' : ''}${bug.what}`, fix);
  });
  return verdictOf(complaints, `${who} ${version} has none that is known`);
}

function stateOf(unit: UnitFacts): string {
  if (unit.load === 'masked' || unit.load === 'not-found') return unit.load;
  return unit.active === 'failed' ? `failed (${unit.result})` : unit.active;
}

/**
 * Returns the failure for a service that does not answer: the error, the state of its unit, and the commands that start
 * it.
 */
function silent(unit: UnitFacts | null, message: string, ...start: readonly string[]): Finding {
  const state = unit === null ? [] : [`${unit.name} is ${stateOf(unit)}`];
  const unmask = unit?.load === 'masked' ? [`systemctl unmask ${unit.name}`] : [];
  return { verdict: 'failed', found: [message, ...state], fix: [...unmask, ...start] };
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
