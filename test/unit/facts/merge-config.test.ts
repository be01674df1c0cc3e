// NetworkManager's configuration files: the value that takes effect, and the devices of a device list.
import t from 'tap';
import { mergeConfig } from '../../../agent/facts/merge-config.ts';
import { configList, deviceValue, namesDevice, namesProfile } from '../../../agent/model/network-manager-config.ts';

const brex = { name: 'br-ex', type: 'ovs-interface' };

t.test('files are merged in the same way as in NetworkManager', (t) => {
  const merged = mergeConfig(
    [
      {
        path: 'a',
        text: '# first\n[keyfile]\nunmanaged-devices = type:wifi\n[device-x]\nmanaged=0\n[device]\nmanaged=1\n',
      },
      {
        path: 'b',
        text: '[keyfile]\nunmanaged-devices+=interface-name:br-*;mac:00:11:22:33:44:55\n[device-first]\na=1\n[device-second]\na=2\n',
      },
      { path: 'c', text: '[keyfile]\nunmanaged-devices-=type:wifi\n' },
      { path: 'off', text: '[.config]\nenable=false\n[keyfile]\nunmanaged-devices=*\n' },
    ],
    '1.58.1',
  );
  t.strictSame(
    merged.map(({ name }) => name),
    ['device-first', 'device-second', 'keyfile', 'device-x', 'device'],
    'a later file comes first, within a file the earlier section, and [device] last',
  );
  const keyfile = merged.find(({ name }) => name === 'keyfile');
  t.strictSame(configList(keyfile?.values['unmanaged-devices']), ['interface-name:br-*', 'mac:00:11:22:33:44:55']);
  t.strictSame(keyfile?.files, { 'unmanaged-devices': 'c' });
  t.end();
});

t.test('keys with the names of members of JavaScript objects are keys like others', (t) => {
  const [section] = mergeConfig([{ path: 'a', text: '[main]\nconstructor+=x\n__proto__=y\ntoString=z\n' }], '1.58.1');
  const written = [
    ['constructor', 'x'],
    ['__proto__', 'y'],
    ['toString', 'z'],
  ];
  t.strictSame(Object.entries(section?.values ?? {}), written);
  t.strictSame(
    Object.keys(section?.files ?? {}),
    written.map(([key]) => key),
  );
  t.end();
});

t.test('a device list matches a device, excludes it, or does neither', (t) => {
  const names = (list: string) => namesDevice(configList(list), brex);
  for (const list of [
    '*',
    'interface-name:br-*',
    'INTERFACE-NAME:br-ex',
    'interface-name:=br-ex',
    'interface-name:~br-?x',
    'br-ex',
    'type:ovs-interface',
    'except:type:wifi',
  ])
    t.equal(names(list), true, list);
  for (const list of [
    '',
    'interface-name:br',
    'interface-name:=br-*',
    'br-*',
    'type:ovs',
    'mac:00:11:22:33:44:55',
    'driver:veth',
  ])
    t.equal(names(list), null, list);
  for (const list of [
    '*;except:interface-name:br-ex',
    'except:br-ex;except:interface-name:br-*',
    'interface-name:br-*,except:type:ovs-interface',
  ])
    t.equal(names(list), false, list);
  t.end();
});

t.test('a pattern of interface names', (t) => {
  const table: readonly (readonly [pattern: string, name: string, is: boolean])[] = [
    ['*', 'br-ex', true],
    ['**', 'br-ex', true],
    ['b*x', 'br-ex', true],
    ['b*e*', 'br-ex', true],
    ['*ex', 'br-exex', true],
    ['*e?', 'br-ex', true],
    ['br-ex?', 'br-ex', false],
    ['b*y', 'br-ex', false],
    ['br.ex', 'br-ex', false],
    ['', 'br-ex', false],
    ['x'.repeat(100_000), 'br-ex', false],
  ];
  for (const [pattern, name, is] of table)
    t.equal(
      namesDevice([`interface-name:${pattern}`], { name, type: 'bridge' }),
      is ? true : null,
      pattern.slice(0, 20),
    );
  t.end();
});

t.test('an exception without the name of a property has no effect', (t) => {
  t.equal(namesDevice(['*', 'except:br-ex'], brex), true);
  t.end();
});

t.test('a connection list matches a profile', (t) => {
  const profile = { id: 'br-ex', uuid: '00000000-0000-4000-8000-000000000001' };
  t.equal(namesProfile(['id:br-ex'], profile), true);
  t.equal(namesProfile([`uuid:${profile.uuid}`], profile), true);
  t.equal(namesProfile(['except:origin:nm-initrd-generator'], profile), true);
  t.equal(namesProfile(['id:eth0'], profile), null);
  t.end();
});

t.test('the first section that matches decides', (t) => {
  const sections = [
    { name: 'device-other', values: { 'match-device': 'type:wifi', managed: '1' }, files: {} },
    { name: 'device-br', values: { 'match-device': 'interface-name:br-*', managed: '0' }, files: { managed: 'f' } },
    { name: 'device', values: { managed: '1' }, files: {} },
  ];
  t.strictSame(deviceValue(sections, 'device', 'managed', brex), { value: '0', section: 'device-br', file: 'f' });
  t.equal(deviceValue(sections, 'device', 'carrier', brex), null);
  const stopped = [
    { name: 'device-stop', values: { 'match-device': '*', 'stop-match': 'yes' }, files: {} },
    ...sections,
  ];
  t.equal(deviceValue(stopped, 'device', 'managed', brex), null, 'stop-match ends the search');
  t.end();
});
