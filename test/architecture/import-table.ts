// Imports that each part of the agent may have, with reasons.

export interface Layer {
  /** Folders and files of agent/ that the layer may import. */
  readonly may: readonly string[];
  /** Packages and parts of Node.js that the layer may import. */
  readonly packages?: readonly string[];
  /** Reason why the layer may import nothing else. */
  readonly because: string;
  /** Forbidden imports that seem useful, each with the reason. */
  readonly never?: Readonly<Record<string, string>>;
}

const driversKnowNoPlans = 'a driver offers what the outside world can do and knows nothing of why it is asked';
const driversApart = 'each driver can be replaced without reading another one';
const pure = 'it computes from plain values: the same facts always give the same answer';

/**
 * Permitted imports of each layer, by its path in agent/. Imports that are not listed are forbidden. Each file directly
 * in agent/ is a separate layer.
 */
export const layers: Readonly<Record<string, Layer>> = {
  'main.ts': {
    may: ['cli'],
    because: 'the process edge does nothing but start the command line and end the process',
  },
  cli: {
    may: ['commands', 'errors.ts', 'model', 'printable.ts', 'version.ts'],
    packages: ['commander', 'node:fs'],
    because: 'the command line parses words and loads the command that was chosen',
    never: {
      run: '`--help` must not load what it does not use; commands/ does that',
      config: 'commands read it',
    },
  },
  commands: {
    may: [
      'compare',
      'config',
      'doctor',
      'drivers/firewalld',
      'drivers/host',
      'drivers/kubernetes',
      'errors.ts',
      'failures.ts',
      'facts',
      'manifests',
      'mask.ts',
      'model',
      'plan',
      'run',
      'support',
      'version.ts',
      'view',
    ],
    // The command `overlay run` sets an option of V8's garbage collector.
    packages: ['node:fs', 'node:path', 'node:v8'],
    because: 'a command parses its flags, calls the stages and prints',
    never: {
      cli: 'the command tree loads commands, not the other way round',
      'drivers/networkmanager': 'only a run changes the node',
      'drivers/dbus': 'nodes are opened by run/',
      'drivers/ovsdb': 'nodes are opened by run/',
    },
  },
  run: {
    may: [
      'compare',
      'config',
      'deadline.ts',
      'drivers/dbus',
      'drivers/host',
      'drivers/networkmanager',
      'drivers/openvswitch',
      'drivers/systemd',
      'errors.ts',
      'failures.ts',
      'facts',
      'model',
      'net',
      'plan',
      'printable.ts',
      'run/journal',
      'run/rollback',
      'run/steps',
      'version.ts',
    ],
    packages: ['node:fs'],
    because: 'it is one run from the lock to the record',
    never: { view: 'it reports events; commands turn them into text', commands: 'commands call it' },
  },
  'run/steps': {
    may: [
      'deadline.ts',
      'drivers/dbus',
      'drivers/host',
      'drivers/networkmanager',
      'drivers/openvswitch',
      'drivers/systemd',
      'errors.ts',
      'model',
      'net',
    ],
    because: 'it runs steps as they are planned',
    never: { plan: 'a step has all its arguments', facts: 'a step does not decide' },
  },
  'run/journal': {
    may: [
      'deadline.ts',
      'drivers/host',
      'drivers/networkmanager',
      'errors.ts',
      'facts',
      'failures.ts',
      'model',
      'plan',
      'run',
      'version.ts',
    ],
    packages: ['node:fs'],
    because: 'it writes and reads the records of runs',
    never: { 'run/rollback': 'a record says what to roll back' },
  },
  'run/rollback': {
    may: [
      'deadline.ts',
      'drivers/dbus',
      'drivers/host',
      'drivers/networkmanager',
      'drivers/openvswitch',
      'errors.ts',
      'failures.ts',
      'model',
      'plan',
      'run',
      'run/journal',
      'run/steps',
    ],
    because: 'it returns the node to the state before a transaction',
    never: { facts: 'a run observes the node; the observation is handed in' },
  },
  'run/manifests': {
    may: ['drivers/kubernetes', 'errors.ts', 'manifests', 'model'],
    because: 'it brings the objects of a cluster to what was rendered',
    never: { 'drivers/host': 'it uses the API of a cluster, from any machine' },
  },
  'run/examination': {
    may: [
      'config',
      'drivers/host',
      'drivers/ovn',
      'errors.ts',
      'facts',
      'model',
      'overlay',
      'run',
      'run/journal',
      'run/overlay',
    ],
    because: 'it reads every part of the node on its own, so that the failure of one does not hide the others',
    never: { doctor: 'it collects; doctor/ judges' },
  },
  'run/overlay': {
    may: [
      'cni',
      'config',
      'deadline.ts',
      'drivers/host',
      'drivers/kubernetes',
      'drivers/openssl',
      'drivers/openvswitch',
      'drivers/ovn',
      'drivers/systemd',
      'errors.ts',
      'failures.ts',
      'facts',
      'model',
      'net',
      'overlay',
      'run',
      'slices.ts',
      'trace',
      'workload',
    ],
    packages: ['node:fs', 'node:net', 'node:path', 'node:timers'],
    because: 'it brings rows, certificates and daemons of an overlay to what was planned',
    never: { 'drivers/networkmanager': 'the overlay has no NIC of its own', plan: 'a bridge is built by another run' },
  },
  facts: {
    may: [
      'config',
      'drivers/dbus',
      'drivers/firewalld',
      'drivers/host',
      'drivers/kubernetes',
      'drivers/networkmanager',
      'drivers/openssl',
      'drivers/openvswitch',
      'errors.ts',
      'failures.ts',
      'manifests',
      'model',
      'plan',
      'printable.ts',
      'regular-file.ts',
      'version.ts',
    ],
    packages: ['node:fs', 'node:os', 'node:path'],
    because: 'it reads the node',
    never: { doctor: 'it collects; doctor/ judges', run: 'looking changes nothing' },
  },
  doctor: {
    may: ['compare', 'config', 'errors.ts', 'facts', 'model', 'net', 'plan', 'printable.ts'],
    because: 'it judges the facts that it is handed, and projects the observation of them as `apply` does',
    never: { drivers: 'an examination is handed in', 'node:fs': pure },
  },
  support: {
    may: ['drivers/host', 'errors.ts', 'mask.ts', 'model'],
    packages: ['node:fs', 'node:path'],
    because: 'it copies what is there, and masks it; what the agent itself says of the node is handed in',
    never: { commands: 'commands call it', view: 'commands turn reports into text' },
  },
  plan: {
    may: ['compare', 'errors.ts', 'model', 'net', 'plan/bridge', 'plan/profiles', 'plan/uplink', 'printable.ts'],
    packages: ['node:net'],
    because: pure,
    never: {
      drivers: 'a plan is made from an observation',
      run: 'data flows one way: plan → run',
      'node:fs': pure,
    },
  },
  'plan/uplink': {
    may: ['errors.ts', 'model', 'net', 'printable.ts'],
    packages: ['node:net'],
    because: 'which device carries a bridge is chosen before anything is made of it',
    never: { 'plan/profiles': 'what the bridge gets follows from its uplink' },
  },
  'plan/profiles': {
    may: ['errors.ts', 'model', 'net', 'plan/uplink', 'printable.ts'],
    packages: ['node:net'],
    because: 'what a bridge gets follows from its uplink and the configuration',
    never: { 'plan/bridge': 'how the node comes to have it is another question' },
  },
  'plan/bridge': {
    may: ['compare', 'errors.ts', 'model', 'net', 'plan', 'plan/profiles', 'plan/uplink', 'printable.ts'],
    packages: ['node:net'],
    because: 'steps lead from what is there to the profiles that are wanted, and back',
  },
  'plan/tuning': {
    may: ['errors.ts', 'model', 'net'],
    packages: ['node:net'],
    because: 'tuning of Open vSwitch and the firewall does not depend on the program that configures the network',
    never: { 'plan/uplink': 'tuning does not depend on it' },
  },
  compare: {
    may: ['model', 'net', 'printable.ts'],
    packages: ['node:util'],
    because: pure,
    never: { plan: 'the plan asks for the comparison', 'node:fs': pure },
  },
  view: {
    may: ['compare', 'errors.ts', 'failures.ts', 'model', 'net', 'plan', 'printable.ts'],
    packages: ['node:util'],
    because: 'a view turns a value into text',
    never: {
      drivers: 'what is shown was observed before',
      config: 'the model has the types',
      run: 'it reports events',
    },
  },
  config: {
    may: ['errors.ts', 'model', 'net', 'printable.ts', 'regular-file.ts'],
    packages: ['js-yaml', 'node:buffer', 'node:fs'],
    because: 'the configuration is read before anything else is known',
    never: { view: 'commands print it', facts: 'what the files say does not depend on the node' },
  },
  manifests: {
    may: ['errors.ts', 'mask.ts', 'model', 'net'],
    packages: ['node:crypto', 'node:util'],
    because: 'rendering works without a cluster and without a node',
    never: { 'drivers/kubernetes': 'the driver sends what was rendered', config: 'the effective values are handed in' },
  },
  overlay: {
    may: ['errors.ts', 'model', 'net', 'printable.ts'],
    because: pure,
    never: {
      'drivers/ovsdb': 'rows are handed in, and operations handed out, as plain JSON',
      config: 'facts are handed in',
    },
  },
  cni: {
    may: ['model', 'net', 'workload'],
    because: pure,
    never: {
      'drivers/openvswitch': 'rows are handed in, and handed out, as plain values',
      'drivers/host': 'it says which links and addresses; the shim makes them',
    },
  },
  workload: {
    may: ['errors.ts', 'model', 'net', 'overlay', 'printable.ts'],
    packages: ['node:crypto'],
    because: pure,
    never: {
      'drivers/kubernetes': 'objects are handed in as plain values',
      'drivers/ovn': 'rows are handed in, and changes handed out, as plain values',
    },
  },
  trace: {
    may: ['errors.ts', 'model', 'net', 'overlay'],
    because: pure,
    never: {
      'drivers/ovn': 'rows and what programs print are handed in',
      view: 'it says what happens as data; a view makes sentences of it',
    },
  },
  'drivers/dbus': {
    may: ['errors.ts', 'model'],
    packages: ['dbus-next', 'node:net'],
    because: driversKnowNoPlans,
    never: { 'drivers/networkmanager': 'the bus does not know who is on it' },
  },
  'drivers/networkmanager': {
    may: ['deadline.ts', 'drivers/dbus', 'errors.ts', 'model'],
    packages: ['node:os'],
    because: driversKnowNoPlans,
    never: { 'drivers/openvswitch': driversApart, 'dbus-next': 'drivers/dbus wraps what bites in it' },
  },
  'drivers/ovsdb': {
    may: ['slices.ts'],
    packages: ['node:events', 'node:fs', 'node:net', 'node:tls', 'node:util'],
    because: 'it is written as if it were a package: it drives other databases too',
    never: { 'errors.ts': 'it has its own errors; drivers/openvswitch names them', model: 'it is a general client' },
  },
  'drivers/openvswitch': {
    may: ['drivers/host', 'drivers/ovsdb', 'errors.ts', 'model'],
    packages: ['node:fs', 'node:os'],
    because: driversKnowNoPlans,
    never: {
      'drivers/networkmanager': driversApart,
      'node:child_process': 'flows are changed by ovs-ofctl, and drivers/host/process/exec.ts starts programs',
    },
  },
  'drivers/openssl': {
    may: ['drivers/host', 'errors.ts'],
    packages: ['node:crypto', 'node:fs', 'node:path'],
    because: driversKnowNoPlans,
    never: { 'node:child_process': 'drivers/host/process/exec.ts starts programs' },
  },
  'drivers/ovn': {
    may: ['drivers/host', 'drivers/ovsdb', 'errors.ts', 'model'],
    packages: ['node:fs'],
    because: driversKnowNoPlans,
    never: {
      'drivers/openvswitch': driversApart,
      'node:child_process': 'drivers/host/process/exec.ts starts programs',
      overlay: 'it reads and writes rows and knows no meaning of them',
    },
  },
  'drivers/kubernetes': {
    may: ['errors.ts', 'model', 'regular-file.ts', 'slices.ts'],
    packages: [
      '@kubernetes/client-node',
      'js-yaml',
      'node:crypto',
      'node:events',
      'node:fs',
      'node:http',
      'node:https',
      'node:path',
      'node:readline',
      'node:timers',
    ],
    because: driversKnowNoPlans,
    never: { 'drivers/host': driversApart },
  },
  'drivers/systemd': { may: ['deadline.ts', 'drivers/dbus', 'errors.ts', 'model'], because: driversKnowNoPlans },
  'drivers/firewalld': { may: ['drivers/dbus', 'errors.ts', 'model'], because: driversKnowNoPlans },
  'drivers/host': {
    may: ['deadline.ts', 'errors.ts', 'model', 'net', 'regular-file.ts'],
    packages: [
      'execa',
      'node:dgram',
      'node:dns',
      'node:fs',
      'node:net',
      'node:os',
      'node:path',
      'node:perf_hooks',
      'node:v8',
    ],
    because: driversKnowNoPlans,
    never: { 'drivers/dbus': driversApart, 'node:child_process': 'exec.ts starts programs, through execa' },
  },
  'deadline.ts': { may: ['errors.ts'], because: 'everything that waits uses it' },
  'mask.ts': { may: [], because: pure },
  'printable.ts': { may: [], because: pure },
  'slices.ts': {
    may: [],
    packages: ['node:timers'],
    because: 'long work of every room shares the turns of one event loop',
  },
  'regular-file.ts': {
    may: [],
    packages: ['node:fs'],
    because: 'every read of a file that others write has the same limits, whichever room it is in',
  },
  'errors.ts': { may: [], packages: ['node:fs', 'node:path'], because: 'everything uses it' },
  'failures.ts': { may: ['errors.ts'], because: 'whatever begins something that has to be ended uses it' },
  'version.ts': { may: [], because: 'the bundler fills it in' },
  model: { may: [], because: 'it has types, constants and how a value is read' },
  net: { may: [], packages: ['node:net'], because: pure },
};

/** File or folder that wraps each package; no other file may import the package. */
export const homes: Readonly<Record<string, RegExp>> = {
  'dbus-next': /^drivers\/dbus\//,
  execa: /^drivers\/host\/process\/exec\.ts$/,
  'js-yaml': /^(config\/config|drivers\/kubernetes\/manifest)-yaml\.ts$/,
  commander: /^cli\//,
  '@kubernetes/client-node': /^drivers\/kubernetes\//,
};
