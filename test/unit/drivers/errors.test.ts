import t from 'tap';
import { DBusReplyError } from '../../../agent/drivers/dbus/dbus-errors.ts';
import { fromReply } from '../../../agent/drivers/networkmanager/nm-errors.ts';
import { activeStateReason, deviceStateReason } from '../../../agent/drivers/networkmanager/nm-names.ts';
import { openOpenVSwitch } from '../../../agent/drivers/openvswitch/ovs-client.ts';
import { fromOvsdb, vswitchdNotResponding } from '../../../agent/drivers/openvswitch/ovs-errors.ts';
import { fromOvn } from '../../../agent/drivers/ovn/ovn-errors.ts';
import { OvsdbError } from '../../../agent/drivers/ovsdb/index.ts';
import { AgentError, asAgentError, type ErrorKind, errorTable, isAgentError } from '../../../agent/errors.ts';
import { failure } from '../failure.ts';

t.test("NetworkManager's errors by name", (t) => {
  const table: Readonly<Record<string, ErrorKind>> = {
    'org.freedesktop.DBus.Error.ServiceUnknown': 'networkmanager-not-running',
    'org.freedesktop.DBus.Error.NameHasNoOwner': 'networkmanager-not-running',
    'org.freedesktop.DBus.Error.NoReply': 'networkmanager-not-running',
    'org.freedesktop.NetworkManager.MissingPlugin': 'ovs-plugin-missing',
    'org.freedesktop.NetworkManager.PermissionDenied': 'not-root',
    'org.freedesktop.DBus.Error.AccessDenied': 'not-root',
    'org.freedesktop.NetworkManager.Settings.Connection.InvalidProperty': 'networkmanager-refused',
    'org.example.Error.NeverHeardOf': 'networkmanager-refused',
  };
  for (const [name, kind] of Object.entries(table)) {
    const error = fromReply('activate a profile', new DBusReplyError(name, 'its own words'));
    t.equal(error.kind, kind, name);
    t.ok(error.hint);
    if (kind === 'networkmanager-refused')
      t.match(error, {
        message: 'NetworkManager refused to activate a profile: its own words',
        facts: { dbusError: name },
      });
  }
  const old = new DBusReplyError(
    'org.freedesktop.NetworkManager.UnknownConnection',
    "NetworkManager plugin for 'ovs-bridge' unavailable",
  );
  t.equal(
    fromReply('x', old).kind,
    'ovs-plugin-missing',
    'a missing plug-in is recognized by the text of NetworkManager up to 1.42',
  );
  const known = new AgentError('dbus-lost', 'x');
  t.equal(fromReply('x', known), known, 'an error that has a kind stays as it is');
  t.equal(new DBusReplyError('org.example.Name', '').message, 'org.example.Name');
  t.end();
});

t.test("NetworkManager's reasons in words", (t) => {
  t.equal(activeStateReason(14), 'the device was removed');
  t.equal(activeStateReason(99), 'reason 99');
  t.equal(deviceStateReason(64), 'the address is already used by another host on the network');
  t.equal(deviceStateReason(9999), 'reason 9999');
  t.end();
});

t.test("ovsdb-server's errors by kind", (t) => {
  const table = {
    unreachable: 'ovsdb-unreachable',
    timeout: 'ovsdb-timeout',
    lost: 'ovsdb-lost',
    closed: 'ovsdb-lost',
    protocol: 'ovsdb-lost',
    'too-large': 'ovsdb-lost',
    operation: 'ovsdb-refused',
  } as const;
  for (const [kind, wanted] of Object.entries(table)) {
    const error = fromOvsdb('read its bridges', new OvsdbError(kind as keyof typeof table, 'its own words'));
    t.match(error, { kind: wanted, facts: { doing: 'read its bridges' } }, kind);
  }
  t.match(fromOvsdb('remove br-ex', new Error('why')), {
    kind: 'ovsdb-refused',
    message: 'ovsdb-server refused to remove br-ex: why',
  });
  const tooLarge = new OvsdbError('too-large', 'a message is larger than 67108864 bytes');
  t.match(fromOvsdb('read its bridges', tooLarge), {
    message: 'the database of Open vSwitch cannot be read: a message is larger than 67108864 bytes',
    hint: /table with most rows/,
  });
  t.match(fromOvn('follow', 'unix:nb.sock', tooLarge), {
    kind: 'ovsdb-lost',
    message: 'could not follow at unix:nb.sock: a message is larger than 67108864 bytes',
    hint: /table with most rows/,
  });
  t.match(vswitchdNotResponding('it is not running'), {
    kind: 'vswitchd-not-responding',
    message: 'ovs-vswitchd does not respond: it is not running',
  });
  t.end();
});

t.test('Open vSwitch is not running', async (t) => {
  await t.rejects(openOpenVSwitch(t.testdir({})), failure('ovsdb-unreachable'));
});

t.test('every kind has an exit code from 1 to 5', (t) => {
  for (const [kind, trait] of Object.entries(errorTable)) t.ok([1, 2, 3, 4, 5].includes(trait.exitCode), kind);
  t.end();
});

t.test('every thrown value becomes an error with a kind', (t) => {
  const known = new AgentError('busy', 'x');
  t.equal(asAgentError(known), known);
  t.match(asAgentError(new RangeError('odd')), {
    kind: 'internal',
    message: 'unexpected failure: odd',
    cause: RangeError,
  });
  t.match(asAgentError('text'), { kind: 'internal', message: 'unexpected failure: text' });
  t.ok(
    isAgentError(Object.assign(new Error('x'), { name: 'AgentError', kind: 'busy' })),
    'an error of another copy of the module is recognized',
  );
  for (const value of [
    null,
    'AgentError',
    new Error('x'),
    Object.assign(new Error('x'), { name: 'AgentError', kind: 'no-such-kind' }),
  ])
    t.notOk(isAgentError(value));
  t.end();
});
