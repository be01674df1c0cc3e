import t from 'tap';
import { missingFeatures, optionsFor } from '../../../agent/drivers/openvswitch/datapath-features.ts';

const answer = `Masked set action: Yes
Tunnel push pop: No
Max VLAN headers: 2
Recirc: Yes
CT state: Yes
CT zone: Yes
CT mark: Yes
CT label: Yes
CT state NAT: Yes
CT orig tuple: Yes
`;

t.test('connection tracking that OVN needs', (t) => {
  t.strictSame(missingFeatures(answer), []);
  t.strictSame(missingFeatures(answer.replace('CT state NAT: Yes', 'CT state NAT: No')), ['CT state NAT']);
  const none = answer.replaceAll(/^(CT .*): Yes$/gm, '$1: No');
  t.strictSame(missingFeatures(none), ['CT state', 'CT zone', 'CT mark', 'CT label', 'CT state NAT']);
  t.strictSame(optionsFor(['CT zone', 'CT state NAT']), ['CONFIG_NF_CONNTRACK_ZONES', 'CONFIG_NF_NAT']);
  t.strictSame(missingFeatures(''), [], 'an answer without a feature states nothing about it');
  t.end();
});
