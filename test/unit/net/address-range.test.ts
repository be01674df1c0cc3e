import t from 'tap';
import { canonicalText, parseRange } from '../../../agent/net/address-range.ts';
import { seededRandom } from '../ovsdb/random.ts';

/** Bytes of an IPv4 address, with the bits after the prefix cleared. */
function cleared(bytes: readonly number[], length: number): string {
  return bytes.map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, length - 8 * at)))).join('.');
}

t.test('canonicalText clears the bits of the host part', (t) => {
  const table: Readonly<Record<string, string>> = {
    '10.42.0.1/16': '10.42.0.0/16',
    '10.42.0.0/16': '10.42.0.0/16',
    '255.255.255.255/32': '255.255.255.255/32',
    '255.255.255.255/0': '0.0.0.0/0',
    'FD01::1/48': 'fd01::/48',
    'fd01:0:0::/48': 'fd01::/48',
    '::ffff:192.0.2.1/128': '::ffff:c000:201/128',
  };
  for (const [text, expected] of Object.entries(table)) {
    const range = parseRange(text);
    t.equal(range && canonicalText(range), expected, text);
  }
  t.end();
});

t.test('random IPv4 ranges', (t) => {
  const random = seededRandom(4632);
  for (let round = 0; round < 2_000; round++) {
    const bytes = [random(256), random(256), random(256), random(256)];
    const length = random(33);
    const range = parseRange(`${bytes.join('.')}/${length}`);
    if (range === null) {
      t.fail(`${bytes.join('.')}/${length}`);
      continue;
    }
    const expected = `${cleared(bytes, length)}/${length}`;
    if (canonicalText(range) !== expected) t.equal(canonicalText(range), expected);
    const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    if (range.first > value || range.last < value) t.fail(`${bytes.join('.')} is outside of ${expected}`);
    if (range.last - range.first !== (1n << BigInt(32 - length)) - 1n) t.fail(`the size of ${expected}`);
  }
  t.end();
});
