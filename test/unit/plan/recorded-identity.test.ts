// The identity of a NIC that a run records for the next boot.
import t from 'tap';
import { planApply } from '../../../agent/plan/make-plan.ts';
import { identitiesOf, recordedIdentity } from '../../../agent/plan/uplink/recorded-identity.ts';
import { readCase } from './cases.ts';

const identities = (name: string) => {
  const { config, observation } = readCase(name);
  const decision = planApply(config, observation, true);
  if (decision.kind !== 'planned') throw new Error(decision.kind);
  return identitiesOf(decision.plan.wanted.bridges, observation);
};

const profile = '00000000-0000-4000-8000-000000000000';

t.test('recorded values of a NIC whose bridge has them now', (t) => {
  t.strictSame(identities('slaac-token'), [
    { interface: 'eth0', profile, values: { 'ipv6.token': '::1:2:3:4' }, settings: {} },
  ]);
  t.match(identities('dhcp-identity'), [
    { values: { 'ipv4.dhcp-client-id': '01:52:54:00:aa:00:00', 'ipv6.dhcp-iaid': '3513920882' } },
  ]);
  const again = identities('slaac-identity-recorded');
  t.match(
    again,
    [{ values: { 'ipv6.token': '::1:2:3:4', 'ipv6.dhcp-iaid': '3513920882' } }],
    'the values are recorded again',
  );
  t.strictSame(identities('dhcp'), [], 'an identity that follows from the MAC is not recorded');
  t.end();
});

t.test('a record applies to one NIC with one profile', (t) => {
  const { observation } = readCase('slaac-identity-recorded');
  t.match(recordedIdentity('eth0', profile, {}, observation).values, { 'ipv6.token': '::1:2:3:4' });
  t.strictSame(recordedIdentity('eth1', profile, {}, observation), { values: {}, changed: [] });
  t.strictSame(recordedIdentity('eth0', 'another', {}, observation), { values: {}, changed: [] });
  t.end();
});
