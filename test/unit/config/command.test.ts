import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type ConfigOptions, configCheck, configSchema, configShow } from '../../../agent/commands/config.ts';
import type { ExitCode } from '../../../agent/errors.ts';

type Command = (options: ConfigOptions) => ExitCode;

function run(t: Test, command: Command, ovnYaml: string | null, more: Partial<ConfigOptions> = {}): string {
  const rootDirectory = t.testdir({});
  mkdirSync(join(rootDirectory, 'etc/microshift'), { recursive: true });
  if (ovnYaml !== null) writeFileSync(join(rootDirectory, 'etc/microshift/ovn.yaml'), ovnYaml);
  let text = '';
  const out = (part: string) => {
    text += part;
  };
  t.equal(command({ rootDirectory, output: 'text', out, ...more }), 0);
  return text;
}

function throwsMatch(t: Test, run: () => unknown, wanted: object, name = 'throws'): void {
  try {
    run();
  } catch (error) {
    t.match(error, wanted, name);
    return;
  }
  t.fail(`${name}: nothing was thrown`);
}

t.test('check', (t) => {
  t.equal(run(t, configCheck, 'mtu: 1300\n'), '/etc/microshift/ovn.yaml: valid\n');
  t.equal(run(t, configCheck, null), '/etc/microshift/ovn.yaml: absent, the defaults apply\n');
  t.match(
    run(t, configCheck, 'disableOVSInit: true\nuplink: eth0\n'),
    /valid\nwarning: \/etc\/microshift\/ovn.yaml:2: eth0 is/,
  );
  t.same(JSON.parse(run(t, configCheck, 'mtu: 1300\n', { output: 'json' })), {
    valid: true,
    file: '/etc/microshift/ovn.yaml',
    present: true,
    warnings: [],
  });
  throwsMatch(t, () => run(t, configCheck, 'mtu: x\n'), { kind: 'config-invalid' });
  t.end();
});

t.test('show', (t) => {
  const ovnYaml = 'uplink: enp1s0\novs: {handlerThreads: auto}\n';
  t.equal(
    run(t, configShow, ovnYaml),
    `\
disableOVSInit                    false         default
uplink                            enp1s0        /etc/microshift/ovn.yaml:1
ovsInit.externalGatewayInterface  -             default
mtu                               1400          default
ovs.cpuAffinity                   0             default
ovs.handlerThreads                -             /etc/microshift/ovn.yaml:2
ovs.revalidatorThreads            1             default
ovs.lockMemory                    false         default
ovs.datapathType                  system        default
manifests.flavor                  auto          default
manifests.image                   -             default
manifests.imagePullPolicy         IfNotPresent  default
network.clusterNetwork            10.42.0.0/16  default
network.serviceNetwork            10.43.0.0/16  default
network.serviceNodePortRange      30000-32767   default
node.nodeIP                       -             default
`,
  );
  t.match(JSON.parse(run(t, configShow, ovnYaml, { output: 'json' })), {
    config: {
      uplink: { value: 'enp1s0', source: '/etc/microshift/ovn.yaml:1' },
      mtu: { value: 1400, source: 'default' },
    },
    warnings: [],
  });
  const styled = run(t, configShow, ovnYaml, { style: (style, text) => `<${style}>${text}</${style}>` });
  t.match(styled, /uplink +<bold>enp1s0 +<\/bold> {2}\/etc/);
  t.end();
});

t.test('schema', (t) => {
  t.match(JSON.parse(run(t, configSchema, null)), { title: 'ovn.yaml', properties: { mtu: { default: 1400 } } });
  t.end();
});
