import t from 'tap';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import { planFirewall, trustedSources } from '../../../agent/plan/tuning/plan-firewall.ts';
import { commandsText } from '../../../agent/view/firewall-view.ts';

const dual = {
  ...defaultConfig,
  cluster: {
    ...defaultConfig.cluster,
    clusterNetwork: { value: ['10.42.0.0/16', 'fd01::/48'], source: 'config.yaml:2' },
  },
};

t.test('each family of the cluster has its sources', (t) => {
  const sources = (config: typeof dual): string[] => trustedSources(config).map((entry) => entry.source);
  t.strictSame(sources(dual), ['10.42.0.0/16', 'fd01::/48', '169.254.169.1', 'fd69::1']);
  t.strictSame(
    trustedSources(defaultConfig).map((entry) => entry.source),
    ['10.42.0.0/16', '169.254.169.1'],
  );
  t.match(
    commandsText(trustedSources(dual), 'apply'),
    /ip6tables -I INPUT -s fd01::\/48 -j ACCEPT[\s\S]*ip6 saddr fd69::1 accept/,
  );
  t.end();
});

t.test('networks of connected clusters are trusted, their hosts are not', (t) => {
  const remoteNetworks = { value: ['10.45.0.0/16', 'fd04::/112'], source: 'config.yaml:5' };
  const sources = trustedSources({ ...defaultConfig, cluster: { ...defaultConfig.cluster, remoteNetworks } });
  t.strictSame(
    sources.map(({ source, family }) => [source, family]),
    [
      ['10.42.0.0/16', 4],
      ['169.254.169.1', 4],
      ['10.45.0.0/16', 4],
      ['fd04::/112', 6],
    ],
    'a family that only another cluster has adds no masquerade address',
  );
  t.end();
});

t.test('only missing sources are added', (t) => {
  const plan = planFirewall(defaultConfig, { zone: 'trusted', running: ['10.42.0.0/16', '192.0.2.1'], permanent: [] });
  t.match(plan, { addRunning: ['169.254.169.1'], addPermanent: ['10.42.0.0/16', '169.254.169.1'] });
  t.end();
});
