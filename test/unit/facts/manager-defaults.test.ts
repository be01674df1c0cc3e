// NetworkManager's configuration is read in its order: folders, files, sections (nm-config.c).
import t from 'tap';
import { connectionDefaults, readManagerConfig } from '../../../agent/facts/manager-defaults.ts';

const root = '/etc/NetworkManager';

function read(files: Readonly<Record<string, string>>): ReturnType<typeof readManagerConfig> {
  const names = (directory: string): string[] =>
    Object.keys(files).flatMap((path) => (path.startsWith(`${directory}/`) ? [path.slice(directory.length + 1)] : []));
  return readManagerConfig(names, (path) => files[path] ?? null);
}

t.test('files are read in order, and a file of a later folder hides one with its name in an earlier folder', (t) => {
  const files = read({
    [`${root}/conf.d/20-b.conf`]: 'e',
    [`${root}/conf.d/10-a.conf`]: 'd',
    [`${root}/conf.d/README`]: '-',
    [`${root}/NetworkManager.conf`]: 'c',
    '/run/NetworkManager/conf.d/30-c.conf': 'b',
    '/run/NetworkManager/conf.d/10-a.conf': '-',
    '/usr/lib/NetworkManager/conf.d/00-z.conf': 'a',
    '/usr/lib/NetworkManager/conf.d/20-b.conf': '-',
    '/usr/lib/NetworkManager/conf.d/30-c.conf': '-',
  });
  t.equal(files.map(({ text }) => text).join(''), 'abcde');
  t.end();
});

t.test(
  'sections are in order of precedence: a later file first, within a file the earlier section, [connection] last',
  (t) => {
    const files = [
      {
        path: '/a.conf',
        text: '[connection]\nipv4.dns-priority=1\n[connection-1]\nipv4.dns-priority=2\n[connection-2]\nipv4.dns-priority=3\n',
      },
      { path: '/b.conf', text: '# no\n[main]\ndns=none\n[connection-3]\nipv4.dns-priority = 4 \nstop-match=yes\n' },
      {
        path: '/c.conf',
        text: '[connection-1]\nmatch-device=interface-name:eth*, except:type:wifi\nipv6.ip6-privacy=2\n',
      },
    ];
    const sections = connectionDefaults(files, '1.58.1');
    t.strictSame(
      sections.map(({ section, stopMatch }) => `${section}${stopMatch ? '!' : ''}`),
      ['connection-3!', 'connection-1', 'connection-2', 'connection'],
    );
    t.strictSame(sections[1], {
      section: 'connection-1',
      matchDevice: ['interface-name:eth*', 'except:type:wifi'],
      stopMatch: false,
      values: {
        'ipv4.dns-priority': { value: '2', file: '/a.conf' },
        'ipv6.ip6-privacy': { value: '2', file: '/c.conf' },
      },
    });
    t.strictSame(sections[0]?.values['ipv4.dns-priority'], { value: '4', file: '/b.conf' });
    t.end();
  },
);

t.test('a list of devices is extended and shortened by later files', (t) => {
  const of = (...texts: string[]): unknown =>
    connectionDefaults(
      texts.map((text, index) => ({ path: `/${index}.conf`, text: `[connection-x]\nipv4.dns-priority=1\n${text}\n` })),
      '1.58.1',
    )[0]?.matchDevice;
  t.strictSame(of(''), null);
  t.strictSame(of('match-device=eth0', 'match-device+=eth1;eth0'), ['eth0', 'eth1']);
  t.strictSame(of('match-device=eth0,eth1', 'match-device-=eth0'), ['eth1']);
  t.strictSame(of('match-device=eth0', 'match-device=type:bond'), ['type:bond']);
  t.end();
});

t.test('a file that is disabled by its section [.config] is ignored', (t) => {
  const counts = (enable: string): boolean => {
    const text = `[.config]\nenable=${enable}\n[connection]\nipv4.dns-priority=1\n`;
    return connectionDefaults([{ path: `${root}/conf.d/a.conf`, text }], '1.58.1').length > 0;
  };
  for (const yes of [
    'yes',
    'nm-version:1.58',
    'nm-version:1.58.1',
    'nm-version-min:1.46',
    'except:nm-version:1.40',
    'nm-version-max:1.60',
  ])
    t.ok(counts(yes), yes);
  for (const no of [
    'false',
    'nm-version:1.56',
    'nm-version-min:1.60',
    'except:nm-version-min:1.50',
    'nm-version-max:1.46',
    'env:TEST',
  ])
    t.notOk(counts(no), no);
  t.end();
});
