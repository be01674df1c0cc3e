import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { configCheck, configSchema, configShow } from '../../../agent/commands/config-command.ts';
import { throwsMatch } from '../failure.ts';

type Command = typeof configCheck;

interface Printed {
  text: string;
  value: object;
}

function run(t: Test, command: Command, ovnYaml: string | null): Printed {
  const rootDirectory = t.testdir({});
  mkdirSync(join(rootDirectory, 'etc/microshift'), { recursive: true });
  if (ovnYaml !== null) writeFileSync(join(rootDirectory, 'etc/microshift/ovn.yaml'), ovnYaml);
  const printed: Printed = { text: '', value: {} };
  const result = (text: string, value: object | null): void => {
    Object.assign(printed, { text, value });
  };
  command(undefined, { result }, rootDirectory);
  return printed;
}

t.test('`config check`', (t) => {
  t.equal(run(t, configCheck, 'mtu: 1300\n').text, '/etc/microshift/ovn.yaml: valid');
  t.equal(run(t, configCheck, null).text, '/etc/microshift/ovn.yaml: absent, the defaults apply');
  t.match(
    run(t, configCheck, 'disableOVSInit: true\nuplink: eth0\n').text,
    /valid\nwarning: \/etc\/microshift\/ovn.yaml:2: eth0 is/,
  );
  t.same(run(t, configCheck, 'mtu: 1300\n').value, {
    command: 'config check',
    outcome: 'valid',
    file: '/etc/microshift/ovn.yaml',
    present: true,
    warnings: [],
  });
  throwsMatch(t, () => run(t, configCheck, 'mtu: x\n'), { kind: 'config-invalid' });
  t.end();
});

t.test('`config show`', (t) => {
  const ovnYaml = 'uplink: enp1s0\novs: {handlerThreads: auto}\n';
  t.equal(
    run(t, configShow, ovnYaml).text,
    `\
disableOVSInit                    false          default
uplink                            enp1s0         /etc/microshift/ovn.yaml:1
ovsInit.externalGatewayInterface  -              default
mtu                               1400           default
ovs.cpuAffinity                   0              default
ovs.handlerThreads                auto           /etc/microshift/ovn.yaml:2
ovs.revalidatorThreads            1              default
ovs.lockMemory                    false          default
ovs.datapathType                  system         default
manifests.flavor                  auto           default
manifests.image                   -              default
manifests.imagePullPolicy         IfNotPresent   default
overlay.nodeName                  -              default
overlay.clusterSubnet             -              default
overlay.serviceSubnet             -              default
overlay.joinSubnet                100.64.0.0/16  default
overlay.encapType                 geneve         default
overlay.encapAddress              auto           default
overlay.kubeconfig                -              default
overlay.servicePorts              80,443         default
overlay.externalIPRanges          -              default
overlay.fixedAddressRanges        -              default
overlay.outsideClients            -              default
overlay.bfdIntervalMs             auto           default
overlay.encapsulation             always         default
network.clusterNetwork            10.42.0.0/16   default
network.serviceNetwork            10.43.0.0/16   default
network.serviceNodePortRange      30000-32767    default
node.nodeIP                       -              default
node.nodeIPv6                     -              default
network.cniPlugin                 ovnk           default
apiServer.advertiseAddress        -              default
ingress.listenAddress             -              default
clusterToCluster.remoteClusters   -              default`,
  );
  t.match(run(t, configShow, ovnYaml).value, {
    settings: {
      uplink: { value: 'enp1s0', source: '/etc/microshift/ovn.yaml:1' },
      mtu: { value: 1400, source: 'default' },
    },
    warnings: [],
  });
  t.end();
});

t.test('`config schema`', (t) => {
  const schema = { title: 'ovn.yaml', properties: { mtu: { default: 1400 } } };
  const { text, value } = run(t, (_, output) => configSchema(output), null);
  t.match(JSON.parse(text), schema);
  t.match(value, { command: 'config schema', outcome: 'shown', schema });
  t.end();
});
