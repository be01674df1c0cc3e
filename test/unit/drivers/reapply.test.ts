// Changing a device in place: NetworkManager refuses all of it for one property, so what it can change is sent alone.
import t from 'tap';
import { DBusReplyError } from '../../../agent/drivers/dbus/errors.ts';
import { fromReply } from '../../../agent/drivers/networkmanager/errors.ts';
import { merge, reapply } from '../../../agent/drivers/networkmanager/reapply.ts';
import { encodeSettings } from '../../../agent/drivers/networkmanager/settings.ts';
import { asAgentError } from '../../../agent/errors.ts';
import type { ProfileSettings } from '../../../agent/model/settings.ts';

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
  'what cannot be changed in place stays as it is applied, the rest is as wanted',
);

/** A NetworkManager that refuses what is not merged, with this error. */
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

t.test('a refused change is sent again without what cannot be changed', async (t) => {
  const { sent, request } = refusing('org.freedesktop.NetworkManager.Device.IncompatibleConnection');
  await reapply(request, '/device', null, async () => wanted);
  t.strictSame(sent[0], {}, 'first: what the profile says');
  t.strictSame(JSON.stringify(sent[1]), JSON.stringify(encodeSettings(merge(applied, wanted))));
});

t.test('any other refusal is told', async (t) => {
  const { sent, request } = refusing('org.freedesktop.NetworkManager.Device.NotActive');
  const error = await reapply(request, '/device', wanted, async () => wanted).catch(asAgentError);
  t.match(error, { kind: 'networkmanager-refused' });
  t.equal(sent.length, 1);
});
