import t from 'tap';
import { loadConfig } from '../../../agent/config/load.ts';
import { geneveOverheadBytes, mtuWarnings } from '../../../agent/config/warnings.ts';

const dual = 'network: {clusterNetwork: [10.42.0.0/16, "fd01::/48"]}';
const ipv6 = 'network: {clusterNetwork: ["fd01::/48"]}';
const ours = 'network: {cniPlugin: none}';
const multiNode = 'manifests: {flavor: multi-node}';

const rows: readonly (readonly [
  ovnYaml: string,
  configYaml: string,
  uplinkMtu: number | null,
  wanted: RegExp | null,
])[] = [
  ['', '', 1500, null],
  ['', '', 1400, null],
  ['', '', 1399, null],
  ['', ours, 1399, /mtu 1400 is above the uplink's MTU 1399: write mtu: 1399$/],
  ['mtu: 1400', '', 1399, /mtu 1400 is above the uplink's MTU 1399: write mtu: 1399$/],
  ['mtu: 9000', '', null, null],
  ['mtu: 1500', '', 1500, null],
  ['mtu: auto', '', 1200, null],
  ['mtu: auto', dual, 1200, /the uplink's MTU 1200 is below 1280/],
  ['mtu: auto', dual, 1280, null],
  [`mtu: 1442\n${multiNode}`, '', 1500, null],
  [`mtu: 1443\n${multiNode}`, '', 1500, /minus 58 bytes of tunnel headers: write mtu: 1442/],
  ['mtu: 1443\nmanifests: {flavor: interconnect}', '', 1500, /minus 58 bytes of tunnel headers: write mtu: 1442/],
  [`mtu: 1442\n${multiNode}`, dual, 1500, null],
  [`mtu: 1422\n${multiNode}`, ipv6, 1500, null],
  [`mtu: 1423\n${multiNode}`, ipv6, 1500, /minus 78 bytes of tunnel headers: write mtu: 1422/],
  [`mtu: 1423\n${multiNode}`, 'node: {nodeIP: "fd00::1"}', 1500, /minus 78/],
  [`mtu: 1442\n${multiNode}`, `${ipv6}\nnode: {nodeIP: 192.0.2.1}`, 1500, null],
];

t.test('an MTU that does not fit the uplink', (t) => {
  for (const [ovnYaml, configYaml, uplinkMtu, wanted] of rows) {
    const warnings = mtuWarnings(loadConfig({ ovnYaml, configYaml, configD: [] }).config, uplinkMtu);
    const name = `${ovnYaml} | ${configYaml} | ${uplinkMtu}`;
    if (wanted === null) t.same(warnings, [], name);
    else t.match(warnings, [{ message: wanted }], name);
  }
  t.end();
});

const remote =
  'clusterToCluster: {remoteClusters: [{nextHop: [192.0.2.9], clusterNetwork: [10.45.0.0/16], serviceNetwork: [10.46.0.0/16]}]}';

const rules: readonly (readonly [ovnYaml: string, configYaml: string, wanted: RegExp | null])[] = [
  ['mtu: auto', '', /^mtu: auto keeps MicroShift from starting/],
  ['mtu: auto', 'network: {cniPlugin: ovnk}', /^mtu: auto keeps MicroShift from starting/],
  ['mtu: auto', ours, null],
  ['mtu: 100', '', /^mtu 100 is below 576, .*pods lose such packets; write for example mtu: 1400$/],
  ['mtu: 575', '', /^mtu 575 is below 576/],
  ['mtu: 576', '', null],
  ['', '', null],
  ['', 'node: {nodeIP: "2001:DB8:0::50"}', /compares as text: write 2001:db8::50$/],
  ['', 'node: {nodeIP: "2001:db8::50"}', null],
  ['', 'node: {nodeIP: 192.0.2.50}', null],
  ['', dual, /has both families, and node.nodeIPv6 is not set/],
  ['uplink: none', dual, null],
  ['', `${dual}\nnode: {nodeIPv6: "2001:db8::50"}`, null],
  ['', `${dual}\nnode: {nodeIPv6: "2001:DB8:0::50"}`, /compares as text: write 2001:db8::50$/],
  ['', 'node: {nodeIPv6: "2001:DB8:0::50"}', null],
  ['', ipv6, null],
  ['', remote, null],
  ['', `${remote}\n${ours}`, /does not start with clusterToCluster.remoteClusters and network.cniPlugin: none/],
];

t.test('settings with which MicroShift cannot run', (t) => {
  for (const [ovnYaml, configYaml, wanted] of rules) {
    const { warnings, clusterProblems } = loadConfig({ ovnYaml, configYaml, configD: [] });
    const name = `${ovnYaml} | ${configYaml}`;
    t.same(clusterProblems, [], name);
    if (wanted === null) t.same(warnings, [], name);
    else t.match(warnings, [{ message: wanted }], name);
  }
  t.end();
});

t.test('the tunnel overhead is the sum of its headers', (t) => {
  const [ethernet, geneve, option, udp] = [14, 8, 8, 8];
  t.equal(geneveOverheadBytes.ipv4, ethernet + geneve + option + udp + 20);
  t.equal(geneveOverheadBytes.ipv6, ethernet + geneve + option + udp + 40);
  t.end();
});
