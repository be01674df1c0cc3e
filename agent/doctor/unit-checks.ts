import type { Answer, UnitFacts } from '../model/examination.ts';
import { type Check, type Finding, failed, given, notApplicable, ok, verdictOf, warning } from './finding.ts';

const ownUnit = 'microshift-ovs-init.service';
/**
 * Pattern of the command of microshift-ovs-init.service while the agent's drop-in is effective. Without the drop-in,
 * the unit runs scripts of MicroShift.
 */
const ownRun = /^\S*\/microshift-net apply\b/;
/**
 * Directory in which a file of the administrator hides or overrides the agent's drop-in for
 * microshift-ovs-init.service.
 */
const overrides = `/etc/systemd/system/${ownUnit}.d`;

/**
 * Units before or after which microshift-ovs-init.service has to start, each with the consequence if that order is
 * missing.
 */
const order: readonly (readonly [kind: 'after' | 'before', unit: string, otherwise: string])[] = [
  ['after', 'openvswitch.service', 'it can start before Open vSwitch runs'],
  ['after', 'NetworkManager.service', 'it can start before NetworkManager runs'],
  ['before', 'microshift.service', 'MicroShift can start before br-ex is there'],
];

/**
 * Units of the agent besides microshift-ovs-init.service, each with its purpose and the consequence if it is disabled,
 * does not run, or has failed.
 */
const sideUnits: readonly (readonly [id: string, unit: string, does: string, otherwise: string])[] = [
  [
    'recovery',
    'microshift-net-recover.service',
    'runs at boot',
    'after a power cut in the middle of a run, Open vSwitch may take the NIC before the next run ends it',
  ],
  [
    'repair',
    'microshift-net-repair.path',
    'starts the repair of br-ex',
    'no event at br-ex is repaired before the next `microshift-net apply`',
  ],
  [
    'event-watch',
    'microshift-net-event.path',
    'starts a check of br-ex after an event of NetworkManager',
    "after a restart of NetworkManager br-ex is not returned to it, and after a lost link the NIC's addresses are not removed again",
  ],
  [
    'uplink-watch',
    'microshift-net-uplink.path',
    'starts a check of br-ex when the NIC leaves it',
    'a NIC that is removed from br-ex stays out, and the node has no network',
  ],
  [
    'address-watch',
    'microshift-net-uplink.socket',
    'starts a check of br-ex when an address of the node changes',
    'lo keeps an address that the node has lost, or does not get a new one that a router advertises, and MicroShift then uses the wrong one; what other programs have added to br-ex since the last check is lost when br-ex is created again',
  ],
];

/** Checks of the agent's units: they must run at boot, at the right time, and must not have failed. */
export const unitChecks: readonly Check[] = [
  {
    id: 'unit',
    title: `${ownUnit} runs at boot and ended well`,
    judge: ({ units }) =>
      given(units, () => {
        const unit = unitNamed(units, ownUnit);
        if (unit === null || unit.load === 'not-found')
          return failed(`${ownUnit} does not exist`, 'dnf install microshift-networking');
        // If microshift-ovs-init.service has no [Install] section, it is MicroShift's own, and microshift.service
        // starts it.
        const starter = unit.file === 'static' ? 'microshift.service' : ownUnit;
        const file = unitNamed(units, starter)?.file ?? '';
        const enable = `systemctl enable ${starter}`;
        const restarts = unit.restarts === 0 ? '' : `, after ${unit.restarts} restarts`;
        return verdictOf(
          [
            unit.load === 'masked'
              ? failed(`${ownUnit} is masked: nothing sets up br-ex`, `systemctl unmask ${ownUnit}`, enable)
              : file !== 'enabled' &&
                warning(`${starter} is ${file || 'not enabled'}: nothing sets up br-ex at boot`, enable),
            unit.load === 'loaded' &&
              !(unit.runs.length > 0 && unit.runs.every((line) => ownRun.test(line))) &&
              failed(
                `${ownUnit} does not run microshift-net: MicroShift's configure-ovs.sh would cut the node off`,
                'systemctl daemon-reload',
                `dnf reinstall microshift-net # if that does not help, remove what overrides it in ${overrides} first`,
              ),
            unit.active === 'failed' &&
              failed(
                `${ownUnit} failed (${unit.result}, exit code ${unit.exitStatus}${restarts})`,
                `journalctl -b -u ${ownUnit}`,
                `systemctl reset-failed ${ownUnit} && systemctl start ${ownUnit} # once the cause is fixed`,
              ),
          ],
          `${ownUnit} is ${unit.file} and ${unit.active}`,
        );
      }),
  },
  {
    id: 'unit-order',
    title: `${ownUnit} starts at the right time`,
    judge: ({ units }) =>
      given(units, () => {
        const unit = unitNamed(units, ownUnit);
        if (unit === null || unit.load !== 'loaded') return notApplicable(`${ownUnit} is not loaded`);
        const own = [unit.path, ...unit.dropIns].filter((path) => path.startsWith('/etc/'));
        const where = own.length === 0 ? `systemctl cat ${ownUnit}` : `cat ${own.join(' ')} # what it changes`;
        const missing = order.filter(([kind, name]) => !unit[kind].includes(name));
        return verdictOf(
          missing.map(([kind, name, otherwise]) =>
            failed(`it is not ordered ${kind} ${name}: ${otherwise}`, where, 'systemctl daemon-reload'),
          ),
          ...order.map(([kind, name]) => `${kind} ${name}`),
        );
      }),
  },
  ...sideUnits.map(
    ([id, unit, does, otherwise]): Check => ({
      id,
      title: `${unit} ${does}`,
      judge: ({ units }) => sideUnit(units, unit, otherwise),
    }),
  ),
  {
    id: 'kdump',
    title: 'kdump runs before the NIC moves',
    judge: ({ units }) =>
      given(units, () => {
        const kdump = unitNamed(units, 'kdump.service');
        const unit = unitNamed(units, ownUnit);
        if (kdump === null || kdump.load === 'not-found') return notApplicable('kdump is not installed');
        if (kdump.file !== 'enabled') return notApplicable(`kdump.service is ${kdump.file}`);
        if (unit === null || unit.load !== 'loaded') return notApplicable(`${ownUnit} is not loaded`);
        if (unit.after.includes(kdump.name)) return ok(`${ownUnit} starts after kdump.service`);
        return failed(
          `${ownUnit} is not ordered after kdump.service: the crash kernel is then made for br-ex, which it cannot bring up`,
          `systemctl edit ${ownUnit} # with [Unit] After=kdump.service`,
          'kdumpctl rebuild # while the NIC is not in br-ex',
        );
      }),
  },
];

/** Judges a unit of the agent besides microshift-ovs-init.service: it has to be enabled and must not have failed. */
function sideUnit(units: Answer<readonly UnitFacts[]>, name: string, otherwise: string): Finding {
  // A unit that waits for events must run now. A unit that runs once at boot runs again only at the next boot.
  const waits = isWatching(name);
  const enable = waits ? `systemctl enable --now ${name}` : `systemctl enable ${name}`;
  const again = `systemctl reset-failed ${name} && systemctl start ${name} # once the cause is fixed`;
  return given(units, () => {
    const unit = unitNamed(units, name);
    if (unit === null || unit.load === 'not-found') return notApplicable(`${name} does not exist`);
    const unmask = unit.load === 'masked' ? [`systemctl unmask ${name}`] : [];
    return verdictOf(
      [
        unit.file !== 'enabled' && warning(`${name} is ${unit.file}${untilBoot(unit)}${otherwise}`, ...unmask, enable),
        unit.file === 'enabled' &&
          waits &&
          unit.active === 'inactive' &&
          warning(`${name} is enabled, but not running: ${otherwise}`, `systemctl start ${name}`),
        unit.active === 'failed' &&
          warning(
            `${name} failed (${unit.result})${unit.file === 'enabled' ? `: ${otherwise}` : ''}`,
            `journalctl -b -u ${name}`,
            ...(waits ? [again] : []),
          ),
      ],
      isWatching(name) ? `${name} is ${unit.file} and ${unit.active}` : `${name} is ${unit.file}`,
    );
  });
}

/** Returns true for a unit of the agent that waits for events, and so has to run all the time (.path, .socket). */
function isWatching(name: string): boolean {
  return /\.(path|socket)$/.test(name);
}

/**
 * Returns the middle part of the sentence `UNIT is disabled … CONSEQUENCE`. If the unit waits for events and is active,
 * it runs until the next boot, so the consequence begins only after that boot.
 */
function untilBoot({ name, active }: UnitFacts): string {
  return isWatching(name) && active === 'active' ? ' and runs until the next boot; after that, ' : ': ';
}

/** Returns the facts about a unit; null if systemd has reported none. */
export function unitNamed(units: Answer<readonly UnitFacts[]>, name: string): UnitFacts | null {
  return units.value?.find((unit) => unit.name === name) ?? null;
}
