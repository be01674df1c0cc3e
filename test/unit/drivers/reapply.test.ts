// Changes of a device without a new activation: NetworkManager refuses the whole change because of one property, so the
// agent sends the properties that it accepts separately.
import t from 'tap';
import { DBusReplyError } from '../../../agent/drivers/dbus/dbus-errors.ts';
import { fromReply } from '../../../agent/drivers/networkmanager/nm-errors.ts';
import { decodeSettings, encodeSettings } from '../../../agent/drivers/networkmanager/nm-settings.ts';
import { clearIpSettings, merge, reapply } from '../../../agent/drivers/networkmanager/reapply.ts';
import { asAgentError } from '../../../agent/errors.ts';
import type { ProfileSettings } from '../../../agent/model/profile-settings.ts';

const applied: ProfileSettings = {
  connection: { id: ['s', 'ovs-if-br-ex'], master: ['s', 'br-ex'], zone: ['s', 'old'], lldp: ['i', 1] },
  ipv4: { method: ['s', 'auto'] },
  '802-3-ethernet': { 'cloned-mac-address': ['s', '52:54:00:aa:00:00'] },
};
const wanted: ProfileSettings = {
  connection: { id: ['s', 'ovs-if-br-ex'], master: ['s', 'a-uuid'], zone: ['s', 'new'] },
  ipv4: { method: ['s', 'manual'] },
  '802-3-ethernet': {},
  'ovs-external-ids': { data: ['a{ss}', { 'bridge-id': 'br-ex' }] },
};

t.strictSame(
  merge(applied, wanted),
  {
    connection: { id: ['s', 'ovs-if-br-ex'], master: ['s', 'br-ex'], zone: ['s', 'new'] },
    ipv4: { method: ['s', 'manual'] },
    '802-3-ethernet': { 'cloned-mac-address': ['s', '52:54:00:aa:00:00'] },
    'ovs-external-ids': { data: ['a{ss}', { 'bridge-id': 'br-ex' }] },
  },
  'properties that cannot be changed in place keep their applied values, and the others get their desired values',
);

/** Returns a simulated NetworkManager that refuses the first change of a device with this error. */
function refusing(errorName: string): { sent: unknown[]; request: Parameters<typeof reapply>[0] } {
  const sent: unknown[] = [];
  return {
    sent,
    request: async (what, call) => {
      if (call.member === 'GetAppliedConnection') return [encodeSettings(applied), 1n];
      sent.push(call.body?.[0]);
      if (sent.length === 1) throw fromReply(what, new DBusReplyError(errorName, "Can't reapply any changes"));
      return [];
    },
  };
}

t.test('a refused change is sent again without the properties that cannot be changed', async (t) => {
  const { sent, request } = refusing('org.freedesktop.NetworkManager.Device.IncompatibleConnection');
  await reapply(request, '/device', null, async () => wanted);
  t.strictSame(sent[0], {}, 'the first request has the settings of the profile');
  t.strictSame(JSON.stringify(sent[1]), JSON.stringify(encodeSettings(merge(applied, wanted))));
});

t.test('any other refusal is reported', async (t) => {
  const { sent, request } = refusing('org.freedesktop.NetworkManager.Device.NotActive');
  const error = await reapply(request, '/device', wanted, async () => wanted).catch(asAgentError);
  t.match(error, { kind: 'networkmanager-refused' });
  t.equal(sent.length, 1);
});

const nic: ProfileSettings = {
  connection: { id: ['s', 'eth0'], zone: ['s', 'public'] },
  '802-3-ethernet': { 'cloned-mac-address': ['s', '52:54:00:aa:00:00'], mtu: ['u', 9000] },
  '802-1x': { eap: ['as', ['tls']] },
  ipv4: { method: ['s', 'manual'], 'address-data': ['aa{sv}', [{ address: ['s', '192.0.2.50'], prefix: ['u', 24] }]] },
  ipv6: { method: ['s', 'auto'], token: ['s', '::5'] },
};

interface Sent {
  readonly settings: ProfileSettings;
  readonly version: unknown;
  readonly flags: unknown;
}

/** Returns a simulated NetworkManager whose device has an active profile; `fail` can refuse a change. */
function running(fail: (sent: Sent) => string | null = () => null) {
  const sent: Sent[] = [];
  const request: Parameters<typeof clearIpSettings>[0] = async (what, { member, path, body = [] }) => {
    t.equal(path, '/device');
    if (member === 'GetAppliedConnection') return [encodeSettings(nic), 7n];
    const [settings, version, flags] = body;
    const call = { settings: decodeSettings(settings), version, flags };
    sent.push(call);
    const refusal = fail(call);
    if (refusal !== null) throw fromReply(what, new DBusReplyError('org.freedesktop.NetworkManager.Device.X', refusal));
    return [];
  };
  return { sent, request };
}

const off = { method: ['s', 'disabled'] };

t.test('IP settings are removed, and settings of the link stay', async (t) => {
  const { sent, request } = running();
  await clearIpSettings(request, '/device');
  t.strictSame(sent, [{ settings: { ...nic, ipv4: off, ipv6: off }, version: 0n, flags: 0 }]);
  t.equal(sent[0]?.flags, 0, 'addresses of other programs are also removed');
});

t.test('families that the profile does not mention are disabled', async (t) => {
  const bare: ProfileSettings = { connection: { id: ['s', 'eth0'] } };
  const sent: ProfileSettings[] = [];
  await clearIpSettings(async (_what, { member, body }) => {
    if (member === 'GetAppliedConnection') return [encodeSettings(bare), 1n];
    sent.push(decodeSettings(body?.[0]));
    return [];
  }, '/device');
  t.strictSame(sent, [{ ...bare, ipv4: off, ipv6: off }]);
});

t.test('a refusal to clear is reported, and nothing else is tried', async (t) => {
  const { sent, request } = running(() => 'Device is not activated');
  const error = await clearIpSettings(request, '/device').catch(asAgentError);
  t.match(error, { kind: 'networkmanager-refused', message: /Device is not activated/ });
  t.equal(sent.length, 1);
});

t.test('a device without an active profile is an error', async (t) => {
  const request: Parameters<typeof clearIpSettings>[0] = async (what) => {
    throw fromReply(what, new DBusReplyError('org.freedesktop.NetworkManager.Device.NotActive', 'no connection'));
  };
  t.match(await clearIpSettings(request, '/device').catch(asAgentError), { kind: 'networkmanager-refused' });
});

t.test('NetworkManager before 1.42 knows no flags', async (t) => {
  const { sent, request } = running(({ flags }) => (flags === 0 ? null : 'Invalid flags specified'));
  await reapply(request, '/device', nic, async () => nic);
  t.strictSame(
    sent.map((call) => call.flags),
    [1, 0],
    'a change with the flag that keeps foreign addresses is sent again without the flag',
  );
});
