import type { Examination, OverlayClocks, OverlayFacts } from '../model/examination.ts';
import { membershipFault, missingPortText } from '../model/missing-port.ts';
import {
  advice,
  type Check,
  type Finding,
  failed,
  given,
  givenOverlay,
  notApplicable,
  ok,
  verdictOf,
  warning,
} from './finding.ts';
import { certificateChecks, setClocks } from './overlay-certificates.ts';
import { restartOvs } from './service-checks.ts';
import { unitNamed } from './unit-checks.ts';

/**
 * Difference of clocks at which a warning is given. Certificates, logs and leases tolerate seconds; a minute means that
 * the clock is not synchronized.
 */
const warnClockMs = 60_000;

/** Unit that runs `overlay run`. */
const daemonUnit = 'microshift-net-overlay.service';

/** Returns a sentence that lists the commands by which the management port gets its missing settings. */
function ownInterface(kernel: readonly string[]): string {
  return `this node's own interface in the cluster lacks settings: ${kernel.join('; ')}`;
}

/** Checks of a node in an overlay. They compare no rows of OVN's databases; `overlay verify` compares these rows. */
export const overlayChecks: readonly Check[] = [
  {
    id: 'overlay',
    title: 'OVN carries the overlay',
    judge: ({ overlay }) => {
      if (overlay.failure !== null) return unread(overlay.failure);
      return givenOverlay(overlay, (facts) => {
        const { southbound, isCentral, installed } = facts;
        return verdictOf(
          [databaseComplaint(facts), controllerComplaint(facts)],
          `ovn-controller is connected with ${isCentral ? 'the databases of this node' : southbound.join(', ')}`,
          ...(installed.controller ? [] : ['it is not installed on this node: a container has its socket in /run/ovn']),
        );
      });
    },
  },
  {
    id: 'overlay-member',
    title: 'the central node has this node as a member',
    judge: ({ overlay }) =>
      givenOverlay(overlay, ({ node, membership, isCentral }) => {
        if (membership.state === 'member') return ok(`the central node has a port for ${node}`);
        if (membership.state === 'removed') {
          return failed(
            missingPortText(node),
            'microshift-net overlay leave',
            advice(`then join with a new bundle of the central node: microshift-net overlay pki issue ${node}`),
          );
        }
        const fault = membershipFault(node, membership);
        if (fault !== null) return warning(fault, 'microshift-net overlay status # once the central node answers');
        return notApplicable(
          isCentral ? 'this is the central node' : 'the central node has no port for a node without pod subnets',
        );
      }),
  },
  {
    id: 'overlay-daemon',
    title: 'the daemon keeps this node at its part in the cluster',
    judge: ({ overlay, units }) =>
      givenOverlay(overlay, ({ kernel = [] }) =>
        given(units, () => {
          const unit = unitNamed(units, daemonUnit);
          const lacks = kernel.length > 0 && failed(ownInterface(kernel), 'microshift-net overlay apply');
          if (unit === null || unit.load === 'not-found')
            return lacks === false ? notApplicable(`${daemonUnit} does not exist`) : lacks;
          return verdictOf(
            [
              unit.active !== 'active' &&
                failed(
                  `${daemonUnit} is ${unit.active}: nothing repairs this node's part in the cluster, and no pod starts`,
                  `systemctl start ${daemonUnit}`,
                  `journalctl -b -u ${daemonUnit}`,
                ),
              unit.file !== 'enabled' &&
                warning(`${daemonUnit} is ${unit.file}: it does not start at boot`, `systemctl enable ${daemonUnit}`),
              lacks,
            ],
            `${daemonUnit} is ${unit.file} and ${unit.active}`,
          );
        }),
      ),
  },
  {
    id: 'overlay-schema',
    title: 'the databases have what the overlay writes',
    judge: ({ overlay }) =>
      givenOverlay(overlay, (facts) => {
        const update = (name: string): string =>
          name.startsWith('Open_vSwitch')
            ? 'update Open vSwitch on this node'
            : 'update OVN on this node (ovn-central)';
        return verdictOf(
          facts.missing.map(({ name, for: purpose }) =>
            warning(`${name} is missing, which is for ${purpose}: what it has is not written`, advice(update(name))),
          ),
          'every table and column is there',
        );
      }),
  },
  {
    id: 'overlay-datapath',
    title: 'Open vSwitch can make the tunnels',
    judge: ({ overlay, config }) =>
      givenOverlay(overlay, (facts) => {
        const { dataPath, encapTypes } = facts;
        if (dataPath === null) return notApplicable('Open vSwitch does not say what it can');
        const datapath = config.value?.config.ovs.datapathType.value ?? 'system';
        return verdictOf(
          [
            ...encapTypes.map((type) => !dataPath.interfaceTypes.includes(type) && tunnelComplaint(type)),
            !dataPath.datapathTypes.includes(datapath) &&
              failed(`Open vSwitch has no data path ${datapath}`, 'journalctl -b -u ovs-vswitchd', restartOvs),
          ],
          `tunnels: ${encapTypes.join(', ')}; data path: ${datapath}`,
        );
      }),
  },
  {
    id: 'overlay-direct',
    title: 'nodes of this segment reach this node without a tunnel',
    judge: ({ overlay }) =>
      givenOverlay(overlay, ({ direct }) =>
        direct === undefined
          ? notApplicable('no other node of this segment takes part in direct routes')
          : verdictOf(
              direct.map((fault) => warning(fault, 'microshift-net doctor # on the other node')),
              'packets of every node that takes part in direct routes arrive',
            ),
      ),
  },
  {
    id: 'overlay-listeners',
    title: 'only this node writes the cluster',
    judge: ({ overlay }) =>
      givenOverlay(overlay, ({ listeners }) => {
        if (listeners === null) return notApplicable('the databases are on the central node');
        return verdictOf(
          listeners.map(({ message, hint }) => failed(message, advice(hint))),
          'the databases are open to members with a certificate alone',
        );
      }),
  },
  {
    id: 'overlay-credentials',
    title: 'the daemon has no more rights in Kubernetes than it needs',
    judge: ({ overlay }) =>
      givenOverlay(overlay, ({ credentials }) => {
        if (credentials === null)
          return notApplicable('this node has no kubeconfig for the overlay, or no API server answers');
        const { kubeconfig, complaint } = credentials;
        return verdictOf(
          [complaint !== null && warning(complaint.message, advice(complaint.hint))],
          `${kubeconfig} is not that of an administrator`,
        );
      }),
  },
  ...certificateChecks,
  {
    id: 'overlay-clocks',
    title: 'the clocks of the nodes go together',
    judge: ({ overlay }) =>
      givenOverlay(overlay, (facts) => {
        if (facts.clocks === null) return notApplicable('only the central node can compare them');
        const { clocks } = facts;
        if (clocks.sent.atMs === 0) return notApplicable('the nodes have not reported their time yet');
        return verdictOf(
          clocks.done.map((node) => clockComplaint(node, clocks)),
          `compared with ${clocks.done.map(({ name }) => name).join(', ') || 'none'}`,
        );
      }),
  },
];

/**
 * Returns a complaint for facts about the overlay that cannot be read, for example because the record is damaged; the
 * other checks of the overlay are then not applicable. A timeout is only a warning.
 */
function unread({ kind, message, hint }: NonNullable<Examination['overlay']['failure']>): Finding {
  const complain = kind === 'deadline-exceeded' ? warning : failed;
  return complain(message, advice(hint) ?? 'microshift-net overlay status');
}

function tunnelComplaint(type: string): Finding {
  return failed(
    `Open vSwitch cannot make interfaces of type ${type}, which the tunnels of this node are`,
    advice('update Open vSwitch, and restart it'),
    advice('or set overlay.encapType in ovn.yaml of all nodes: geneve or vxlan'),
  );
}

/**
 * Returns a complaint if the clock of another node certainly differs from the clock of this node, the central one. This
 * is so if the other node has applied a configuration, by its own clock, at least a minute before the central node
 * published it, or at least a minute after the present, both by the central node's clock. A time between the
 * publication and the present proves nothing, because the node may have been disconnected for a while.
 */
function clockComplaint({ name, number, atMs }: OverlayClocks['done'][number], clocks: OverlayClocks): Finding | false {
  if (atMs === 0) return false;
  const { nowMs, sent } = clocks;
  const behindMs = number === sent.number ? sent.atMs - atMs : 0;
  const aheadMs = atMs - nowMs;
  if (Math.max(behindMs, aheadMs) < warnClockMs) return false;
  const [apartMs, way] = behindMs > aheadMs ? [behindMs, 'behind'] : [aheadMs, 'ahead of'];
  return warning(
    `the clock of ${name} is at least ${Math.floor(apartMs / 1000)} s ${way} this node's: certificates are judged by it`,
    setClocks,
  );
}

function databaseComplaint({ isCentral, hasDatabases, installed }: OverlayFacts): Finding | false {
  if (!isCentral || hasDatabases) return false;
  const what = "OVN's databases are not running on this node, which is the central one";
  if (installed.northd) return failed(what, 'systemctl restart ovn-central # ovn-northd on Fedora and CentOS');
  return failed(
    `${what}, and are not installed`,
    advice('install the package ovn-central, or start the containers of it'),
  );
}

function controllerComplaint({ controller, isCentral, southbound, installed }: OverlayFacts): Finding | false {
  if (controller === 'connected') return false;
  if (controller === 'absent') {
    const what = 'ovn-controller is not running';
    if (installed.controller) return failed(what, 'systemctl restart ovn-controller');
    return failed(
      `${what}, and is not installed`,
      advice('install the package ovn-host, or start the container of it'),
    );
  }
  const where = isCentral ? 'the databases of this node' : southbound.join(', ');
  return failed(
    `ovn-controller does not reach ${where}; running traffic goes on, and nothing changes`,
    'tail /var/log/ovn/ovn-controller.log # the reason',
    advice('let a firewall between the nodes pass TCP port 6642 to the central one'),
  );
}
