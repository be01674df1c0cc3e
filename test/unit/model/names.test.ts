// Owner of a profile: this agent, an earlier version of it, configure-ovs.sh, or the administrator.
import t from 'tap';
import { bridgeOfProfile, controllerOf, externalBridge, gatewayBridge } from '../../../agent/model/names.ts';
import type { NmProfile, Observation } from '../../../agent/model/observation.ts';
import type { SettingValue } from '../../../agent/model/profile-settings.ts';
import { appliedCase, readCase } from '../plan/cases.ts';

interface Made {
  readonly uuid?: string;
  readonly master?: string;
  readonly controller?: string;
  readonly source?: string;
}

function profile(id: string, { uuid = `uuid of ${id}`, master, controller, source }: Made = {}): NmProfile {
  const connection: Record<string, SettingValue> = { id: ['s', id] };
  if (master !== undefined) connection.master = ['s', master];
  if (controller !== undefined) connection.controller = ['s', controller];
  const user = { data: ['a{ss}', { 'microshift-net.source-profile': source ?? '' }] } as const;
  return { path: id, uuid, id, filename: '', settings: { connection, ...(source === undefined ? {} : { user }) } };
}

function bridgeOf(one: NmProfile, beside: readonly NmProfile[] = []): string | null {
  const networkManager = { profiles: [one, ...beside] };
  return bridgeOfProfile(one, { networkManager } as unknown as Observation)?.bridge ?? null;
}

t.test('the owner of a profile by its name', (t) => {
  for (const names of [gatewayBridge, externalBridge])
    for (const id of [names.bridge, names.bridgePort, names.bridgeInterface, names.formerUplinkPort])
      t.equal(bridgeOf(profile(id)), names.bridge, id);
  t.equal(bridgeOf(profile('ovs-if-phys0')), 'br-ex');
  t.equal(bridgeOf(profile('ovs-if-phys1')), 'br-ex1');
  for (const id of ['eth0', 'br-ex2', 'ovs-if-phys2', 'ovs-if-phys0-eth1', 'br-ex-br', ''])
    t.equal(bridgeOf(profile(id)), null, id);
  t.end();
});

t.test('copies for the ports of a bond', (t) => {
  const uplink = profile('ovs-if-phys0', { uuid: 'of the uplink' });
  const other = profile('ovs-if-phys1', { uuid: 'of the other' });
  const bond = profile('bond0', { uuid: 'of the admin' });
  const all = [uplink, other, bond];
  const copy = (made: Made): string | null => bridgeOf(profile('a copy', made), all);
  const source = 'port0';
  t.equal(copy({ master: 'of the uplink', source }), 'br-ex', 'a copy is recognized by the UUID of its controller');
  t.equal(copy({ master: 'ovs-if-phys0', source }), 'br-ex', 'a copy is recognized by the id of its controller');
  t.equal(copy({ controller: 'of the other', source }), 'br-ex1', 'a copy is recognized by the property `controller`');
  t.equal(copy({ master: 'of the admin', source }), null, "a port of the administrator's bond is not a copy");
  t.equal(copy({ master: 'of the uplink' }), null, 'a NIC that was added to the bond names no source');
  t.equal(copy({ source }), null, 'a profile that is not a port is the copy of a configuration of another program');
  t.end();
});

t.test('clones of configure-ovs.sh', (t) => {
  const uplink = profile('ovs-if-phys1', { uuid: 'of the uplink' });
  t.equal(bridgeOf(profile('port0-slave-ovs-clone', { master: 'of the uplink' }), [uplink]), 'br-ex1');
  t.equal(
    bridgeOf(profile('port0-slave-ovs-clone', { master: 'gone' })),
    'br-ex',
    'a clone of an unknown bridge belongs to br-ex',
  );
  t.equal(bridgeOf(profile('port0-slave-ovs-clone')), 'br-ex');
  t.equal(bridgeOf(profile('slave-ovs-clone-port0', { master: 'of the uplink' }), [uplink]), null);
  t.end();
});

t.test('both names of the property with the controller', (t) => {
  t.equal(controllerOf(profile('x', { master: 'a' })), 'a');
  t.equal(controllerOf(profile('x', { controller: 'b', master: 'a' })), 'b');
  t.equal(controllerOf(profile('x', { master: '' })), null);
  t.equal(controllerOf(profile('x')), null);
  t.end();
});

t.test('on real nodes all profiles are distinguished', (t) => {
  const owners = ({ networkManager, ...rest }: Observation): Record<string, string | null> =>
    Object.fromEntries(
      networkManager.profiles.map((one) => [one.id, bridgeOfProfile(one, { networkManager, ...rest })?.bridge ?? null]),
    );
  const own = { 'br-ex': 'br-ex', 'ovs-port-br-ex': 'br-ex', 'ovs-if-br-ex': 'br-ex' };
  const former = { ...own, 'ovs-port-phys0': 'br-ex', 'ovs-if-phys0': 'br-ex' };
  const bond = { bond0: null, port0: null, port1: null };
  t.match(owners(appliedCase('bond-uuid').observation), { ...own, ...bond });
  t.match(owners(readCase('script-bond').observation), {
    ...former,
    'bond0-port0-slave-ovs-clone': 'br-ex',
    bond0: null,
  });
  t.end();
});
