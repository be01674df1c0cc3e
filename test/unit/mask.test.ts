import t from 'tap';
import { isSecretName, masked, maskJson, maskKeyfile, maskText, secretsOfKeyfile } from '../../agent/mask.ts';

const secret = 'S3cr3t-pl4nted';

t.test('names', (t) => {
  for (const name of [
    'psk',
    'password',
    '802-1x.private-key-password',
    'private-key',
    'preshared-key',
    'wep-key0',
    'mka-cak',
    'k8s-api-token',
    'leap-password',
    'client-key-data',
    'pin',
    'stable_secret',
    'apiKey',
  ])
    t.ok(isSecretName(name), name);
  for (const name of [
    'psk-flags',
    'key-mgmt',
    'wep-key-type',
    'interface-name',
    'pinned',
    'spinning',
    'uuid',
    'method',
  ])
    t.notOk(isSecretName(name), name);
  t.end();
});

t.test('secrets in the text of any program', (t) => {
  for (const text of [
    `psk=${secret}`,
    `802-1x.password: ${secret}`,
    `"password": "${secret} with blanks \\" and quotes"`,
    `password='${secret} with blanks'`,
    `external_ids : {k8s-api-token="${secret}", system-id="x"}`,
    `{k8s-api-token=${secret}, system-id=x}`,
    `Config: added 'psk' value '<hidden>' psk = ${secret}`,
    `Authorization: Basic ${secret} and more`,
    `curl -H 'Bearer ${secret}'`,
    `http://admin:${secret}@192.0.2.1/`,
    `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
    `-----BEGIN EC PRIVATE KEY-----\n${secret}\ncut off`,
    `    token: ${secret}`,
    `eyJhbGciOiJSUzI1NiJ9.${secret}.${secret}`,
    `options : {psk="${secret}"}`,
    `PASSWORD=${secret}`,
    `error: psk=${secret}`,
    `a=b: c=d password : ${secret}`,
    `skopeo copy --password ${secret} x`,
    `tool --token "${secret} with blanks" x`,
    `tool -password ${secret}`,
    `tool --registry-password=${secret}`,
    `curl -u admin:${secret} https://192.0.2.1/`,
    `curl --user 'admin:${secret}'`,
    `curl -uadmin:${secret}`,
    `https://admin:a/${secret}@b@192.0.2.1/x`,
    `proxy=http://:${secret}@proxy:3128`,
    `GET /hook?token=${secret}&x=1`,
  ]) {
    const out = maskText(text);
    t.notMatch(out, new RegExp(secret), text);
    t.ok(out.includes(masked), text);
  }
  for (const text of [
    'psk-flags=0',
    'key-mgmt=wpa-psk',
    'ipv6.token=::1:2',
    'eth0: <BROADCAST,MULTICAST,UP> mtu 1500',
    'inet 192.0.2.50/24 scope global eth0',
    'ping: 3 packets',
    'https://127.0.0.1:6443/readyz',
    'journalctl -u microshift-net --lines=1',
    'ovs-vsctl --timeout=5 list Port',
    'connection.uuid: 00000000-0000-4000-8000-000000000000',
  ])
    t.equal(maskText(text), text);
  t.equal(
    maskText(`it said ${secret}, twice ${secret}`, [secret]),
    `it said ${masked}, twice ${masked}`,
    'known secrets are masked',
  );
  t.end();
});

t.test('masked JSON keeps its structure', (t) => {
  const value = {
    settings: {
      '802-1x': {
        identity: ['s', 'node'],
        password: ['s', secret],
        'password-flags': ['u', 0],
        'private-key': ['ay', '6b6579'],
      },
      ipv6: { token: ['s', '::1:2'] },
      user: { data: ['a{ss}', { note: `psk=${secret}` }] },
    },
    externalIds: { 'k8s-api-token': secret, 'system-id': 'x' },
    list: [secret, 1, null, true],
    env: [
      { name: 'DB_PASSWORD', value: secret },
      { name: 'LEVEL', value: '4' },
    ],
    tokens: null,
  };
  const out = maskJson(value, [secret]);
  t.notMatch(JSON.stringify(out), new RegExp(`${secret}|6b6579`));
  t.match(out, {
    settings: {
      '802-1x': { identity: ['s', 'node'], password: masked, 'password-flags': ['u', 0], 'private-key': masked },
      ipv6: { token: ['s', '::1:2'] },
    },
    externalIds: { 'k8s-api-token': masked, 'system-id': 'x' },
    list: [masked, 1, null, true],
    env: [
      { name: 'DB_PASSWORD', value: masked },
      { name: 'LEVEL', value: '4' },
    ],
    tokens: null,
  });
  t.end();
});

const keyfile = `[connection]
id=office
type=wifi

[wifi-security]
key-mgmt=wpa-psk
psk=${secret} with blanks;and semicolons
psk-flags=0
#psk=${secret}-old

[802-1x]
password=${secret}-8021x
private-key=data:;base64,${secret}
private-key-password=${secret}

[wireguard]
private-key=${secret}

[wireguard-peer.abc=]
preshared-key=${secret}
preshared-key-flags=0

[vpn-secrets]
Xauth thing=${secret}

[vpn]
cert-pass=${secret}

[ipv6]
token=::1:2
method=auto
`;

t.test('a keyfile', (t) => {
  const out = maskKeyfile(keyfile);
  t.notMatch(out, new RegExp(secret));
  for (const line of [
    'id=office',
    'key-mgmt=wpa-psk',
    'psk-flags=0',
    'preshared-key-flags=0',
    'token=::1:2',
    'method=auto',
    '[vpn-secrets]',
  ])
    t.ok(out.split('\n').includes(line), line);
  const secrets = secretsOfKeyfile(keyfile);
  t.ok(secrets.includes(`${secret}-8021x`));
  t.ok(secrets.includes(`${secret} with blanks;and semicolons`));
  t.notOk(secrets.some((one) => one === '0' || one === '::1:2' || one === 'wpa-psk'));
  t.strictSame(
    secrets,
    secrets.toSorted((a, b) => b.length - a.length),
    'longer secrets come first, so that no part of one remains',
  );
  t.end();
});

t.test('a long text is masked in a short time', (t) => {
  const text = `${'psk '.repeat(100_000)}\n${'a=b,'.repeat(100_000)}\n${'-'.repeat(300_000)}\n${'x.'.repeat(200_000)}`;
  t.equal(maskText(text, [secret]).length, text.length);
  t.end();
});
