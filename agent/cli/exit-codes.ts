import { exitCode } from '../errors.ts';

/** State of the node after a failure (exit code 1) of a command that changes nothing. */
const nothingChanged = 'nothing was changed';
/** State of the node after a failure of a transaction. */
const asBefore = 'the node is as before';
/**
 * Text for the help of a group of commands. It says that the help of each command describes the state of the node after
 * a failure of that command.
 */
const ofEach = 'the help of each command describes the state after it';

/**
 * State of the node after a failure (exit code 1), by the path of the failed command. A command without an entry has
 * the state of its group; if the group has no entry either, the command changes nothing.
 */
const afterFailure: Readonly<Record<string, string>> = {
  '': ofEach,
  bridge: ofEach,
  'bridge add': asBefore,
  'bridge remove': asBefore,
  'bridge list': nothingChanged,
  'bridge apply': asBefore,
  apply: asBefore,
  undo: asBefore,
  disable: asBefore,
  confirm: 'the change is not confirmed, and still waits until its deadline',
  recover: 'the interrupted transaction stays open for the next run',
  ovs: 'settings that were changed before the failure stay',
  firewall: ofEach,
  'firewall check': nothingChanged,
  'firewall apply': 'sources that were added before the failure stay',
  'support-bundle': 'no archive is left',
  manifests: ofEach,
  'manifests render': 'with -o, some files may be written',
  'manifests diff': nothingChanged,
  'manifests apply': 'objects that were changed before the failure stay, and the next run continues',
  'manifests status': nothingChanged,
  'manifests delete': 'objects that were removed before the failure stay away, and the next run continues',
  overlay: ofEach,
  'overlay init': 'the node is as before; a node that was in an overlay stays in it',
  'overlay join': 'the node is as before; a node that was in an overlay stays in it',
  'overlay gateway': asBefore,
  'overlay plan': nothingChanged,
  'overlay apply': 'changes before the failure stay, and the next run makes the others',
  'overlay verify': nothingChanged,
  'overlay run': 'the node stays in its overlay, and nothing maintains it there until the next start',
  'overlay status': nothingChanged,
  'overlay nodes': nothingChanged,
  'overlay routes': nothingChanged,
  'overlay peer': ofEach,
  'overlay peer add': 'the cluster is as before',
  'overlay peer remove': 'the cluster is as before',
  'overlay peer list': nothingChanged,
  'overlay isolation': ofEach,
  'overlay isolation enable': 'the policy is as before, or as desired',
  'overlay isolation disable': 'the policy stays, or is removed',
  'overlay isolation show': nothingChanged,
  'overlay port': ofEach,
  'overlay port add': 'the cluster is as before',
  'overlay port remove': 'the cluster is as before',
  'overlay port list': nothingChanged,
  'overlay trace': nothingChanged,
  'overlay leave': 'a part may be removed, and the next run removes the rest',
  'overlay disable': 'a part may be removed, and the next run removes the rest',
  'overlay pki': ofEach,
  'overlay pki init': 'no node has another authority; the next run makes it',
  'overlay pki issue': 'no bundle is written, and the message says whether the node is a member',
  'overlay pki grant': 'the former grant stays, or the daemon completes the new one',
  'overlay pki renew': 'the former certificate stays valid',
  'overlay pki request': 'no request is written',
  'overlay pki rotate': 'both authorities stay valid, and the daemon continues a replacement that has begun',
  'overlay pki show': nothingChanged,
};

/** Commands that compare or check, and end with exit code 3 if the result is not as desired. */
const comparing = [
  'verify',
  'doctor',
  'bridge list',
  'firewall check',
  'manifests diff',
  'manifests status',
  'overlay verify',
  'overlay trace',
];

/** Commands that may end with the exit code for an incomplete rollback. */
const rollingBack = [
  'apply',
  'confirm',
  'undo',
  'recover',
  'disable',
  'bridge add',
  'bridge remove',
  'bridge apply',
  'overlay init',
  'overlay join',
  'overlay gateway',
  'overlay peer add',
  'overlay peer remove',
  'overlay port add',
  'overlay port remove',
];

/** Commands and groups of commands that need no other program or service. */
const independent = ['history', 'config', 'config check', 'config show', 'config schema'];

/** Returns the exit codes of a command with their meanings. `hasCommands` is true for the program and for groups. */
export function exitCodesOf(path: string, hasCommands: boolean): readonly (readonly [code: number, meaning: string])[] {
  const [group = ''] = path.split(' ');
  const below = path === '' ? '' : `${path} `;
  const has = (commands: readonly string[]): boolean =>
    commands.some((command) => command === path || (hasCommands && command.startsWith(below)));
  const onlyPrints = path === 'completion';
  const all: readonly (readonly [number, string, boolean])[] = [
    [exitCode.done, 'done, or nothing to do', true],
    [exitCode.failed, `failed; ${afterFailure[path] ?? afterFailure[group] ?? nothingChanged}`, !onlyPrints],
    [exitCode.usage, 'wrong usage or configuration; nothing was changed', true],
    [exitCode.drift, 'drift, or a failed check', has(comparing)],
    [exitCode.notRestored, 'failed, and the rollback was incomplete', has(rollingBack)],
    [exitCode.dependency, 'a dependency is missing or is not running', !onlyPrints && !independent.includes(path)],
  ];
  return all.flatMap(([code, meaning, isPossible]) => (isPossible ? [[code, meaning] as const] : []));
}
