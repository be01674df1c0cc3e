import type { Command } from 'commander';
import { commandPath } from './agent-command.ts';
import { exitCodesOf } from './exit-codes.ts';

/** Headings of the groups of commands in `--help`. */
export const helpGroups = {
  look: 'Commands that change nothing:',
  change: 'Commands that change br-ex:',
  parts: 'Commands for other parts of the node and the cluster:',
  more: 'Commands for support:',
} as const;

/** Examples by the path of their command. Each has a command line without the name of the program, and a purpose. */
const examples: Readonly<Record<string, readonly (readonly [line: string, purpose: string])[]>> = {
  '': [
    ['plan', 'what apply would do'],
    ['apply --confirm-timeout 120', 'apply, and roll back unless confirmed in 2 minutes'],
    ['status', 'the state of the node on one screen'],
  ],
  apply: [
    ['apply --confirm-timeout 120', 'over SSH: rolls back by itself unless it is confirmed in 2 minutes'],
    ['confirm', 'keeps that change'],
  ],
  undo: [
    ['undo', 'reverts the last change'],
    ['undo 20261120T214719Z-03d9', 'reverts everything since this one'],
  ],
  history: [
    ['history', 'the last transactions'],
    ['history 20261120T214719Z-03d9', 'one with its steps'],
  ],
  status: [
    ['status --watch', 'again after each change, until Ctrl-C'],
    ['status -o json', 'for programs; with --watch one line per state'],
  ],
  'support-bundle': [['support-bundle -o - > bundle.tar.gz', 'to standard output']],
  'bridge add': [
    ['bridge add eth1 --dry-run', 'the plan'],
    ['bridge add eth1', 'makes the bridge breth1'],
  ],
  'bridge remove': [['bridge remove eth1', 'by the name of the NIC or of the bridge']],
  'config show': [['config show ./ovn.yaml', 'the values that this file would have']],
  'config check': [['config check ./ovn.yaml', 'before it is copied to /etc/microshift']],
  'manifests render': [['manifests render --image registry.example/ovn:1 -o out', 'a file per object in out/']],
  'manifests apply': [['manifests apply --wait', 'until every pod runs']],
  'overlay join': [['overlay join bundle.txt', 'with the output of overlay pki issue on the central node']],
  'overlay gateway': [
    ['overlay gateway', 'by br-ex, with the address of the node'],
    ['overlay gateway --interface eth1 --address 203.0.113.5/24 --next-hop 203.0.113.1', 'by a NIC of its own'],
    ['overlay gateway --address 192.0.2.100/24 --high-availability vip', 'on each node that shares this address'],
  ],
  'overlay routes': [
    ['overlay routes | ssh root@router ip -batch -', 'to a Linux router'],
    ['overlay routes --format frr', 'for vtysh -f'],
    ['overlay routes --watch -o json', 'for programs, one line per state'],
  ],
  'overlay peer add': [
    [
      'overlay peer add west --next-hop 192.0.2.50 --subnet 10.45.0.0/16 --service-subnet 10.46.0.0/16',
      'a cluster whose router on the LAN is 192.0.2.50',
    ],
  ],
  'overlay peer remove': [['overlay peer remove west', 'by the name that was given to `add`']],
  'overlay isolation enable': [
    ['overlay isolation enable', 'each namespace for itself'],
    ['overlay isolation enable --global default kube-system monitoring', 'with a further global namespace'],
    ['overlay isolation enable --group-label team', 'namespaces of the same team reach each other'],
  ],
  'overlay isolation show': [['overlay isolation show -o json', 'for programs']],
  'overlay port add': [
    ['overlay port add vm1 --interface tap7 --namespace db --label app=db', 'a VM of this node'],
    [
      'overlay port add press --node n2 --interface eth1 --vlan 100 --mac 52:54:00:12:34:56',
      'a machine in a VLAN behind a NIC of n2',
    ],
  ],
  'overlay port remove': [['overlay port remove vm1', 'by the name that was given to `add`']],
  'overlay trace': [
    ['overlay trace default/web 192.0.2.10 --tcp 443', 'from a pod to a host of the LAN'],
    ['overlay trace default/web shop/db --tcp 5432 --back', 'between pods, with the reply'],
  ],
  'overlay pki issue': [
    ['overlay pki issue node2 --system-id node2 -o bundle.txt', 'the bundle with which node2 joins'],
  ],
  'overlay pki grant': [
    ['overlay pki grant node2 --gateway 203.0.113.9', 'the gateway of node2 may use this address'],
    ['overlay pki grant node2 --revoke', 'node2 may use its tunnel address only'],
  ],
  'overlay pki renew': [
    ['overlay pki renew', 'the certificate of the central node itself'],
    ['overlay pki renew node2 -o bundle.txt', 'the bundle with which node2 joins again'],
  ],
  completion: [['completion bash > /etc/bash_completion.d/microshift-net', 'where the package is not installed']],
};

/**
 * Returns the end of the help of a command: its examples and the exit codes. Lines have at most `width` columns. Where
 * an example is wrapped, the line ends with a backslash, so that a shell reads the example as one line.
 */
export function helpEnd(command: Command, width: number): string {
  const shown = examples[commandPath(command)] ?? [];
  const help = command.createHelp();
  const wrapped = (text: string, columns: number): readonly string[] => help.boxWrap(text, columns).split('\n');
  const lines = shown.flatMap(([line, purpose]) => [
    ...wrapped(`$ microshift-net ${line}`, width - 8).map((part, index, parts) => {
      const end = index === parts.length - 1 ? '' : ' \\';
      return `${index === 0 ? '  ' : '      '}${part}${end}`;
    }),
    ...wrapped(purpose, width - 6).map((part) => `      ${part}`),
  ]);
  const codes = exitCodesOf(commandPath(command), command.commands.length > 0).map(
    ([code, meaning]) => `  ${code}  ${wrapped(meaning, width - 5).join('\n     ')}`,
  );
  const exitCodes = ['Exit codes:', ...codes].join('\n');
  const parts = lines.length === 0 ? [exitCodes] : [['Examples:', ...lines].join('\n'), exitCodes];
  return `\n${parts.join('\n\n')}`;
}
