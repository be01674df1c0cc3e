import t, { type Test } from 'tap';
import type { Json, JsonObject } from '../../../agent/drivers/ovsdb/json.ts';
import { OvsdbError } from '../../../agent/drivers/ovsdb/ovsdb-errors.ts';
import { createMessageStream } from '../../../agent/drivers/ovsdb/stream.ts';
import { seededRandom } from './random.ts';

const corpus: readonly JsonObject[] = [
  {},
  { id: 0, result: [{ rows: [] }], error: null },
  { text: 'braces } ] { [ and "quotes" and \\ and \\\\" at the end\\' },
  { text: 'ü € 😀 漢字 \u2028 \u0000', ключ: ['значение'] },
  { deep: [[[[[{ a: [{ b: {} }] }]]]]] },
  { real: 1.5, safe: 9007199254740991 },
  { escaped: '\\', more: '"', last: '\\"' },
];
const text = corpus.map((message) => JSON.stringify(message)).join('');
const bytes = Buffer.from(text);
/** All messages as one text, which tap compares faster than their values. */
const written = JSON.stringify(corpus);

interface Outcome {
  readonly messages: JsonObject[];
  readonly error: unknown;
  readonly pendingBytes: number;
}

function feed(chunks: Iterable<Buffer>): Outcome {
  const messages: JsonObject[] = [];
  const stream = createMessageStream((message) => messages.push(message));
  let error: unknown;
  try {
    for (const chunk of chunks) stream.push(chunk);
  } catch (thrown) {
    error = thrown;
  }
  return { messages, error, pendingBytes: stream.pendingBytes() };
}

function* cut(source: Buffer, sizeOf: () => number): Generator<Buffer> {
  for (let at = 0; at < source.length; ) {
    const size = sizeOf();
    yield source.subarray(at, at + size);
    at += size;
  }
}

function failsWith(t: Test, outcome: Outcome, pattern: RegExp, kind = 'protocol'): void {
  t.ok(outcome.error instanceof OvsdbError);
  t.match(outcome.error, { name: 'OvsdbError', kind, message: pattern });
}

t.test('two chunks, divided at every place', async (t) => {
  for (let at = 0; at <= bytes.length; at++) {
    const { messages, error, pendingBytes } = feed([bytes.subarray(0, at), bytes.subarray(at)]);
    if (error !== undefined || pendingBytes !== 0 || messages.length !== corpus.length) t.fail(`cut at ${at}`);
    t.equal(JSON.stringify(messages), written);
  }
});

t.test('chunks of one byte, one chunk for all, and whitespace between messages', async (t) => {
  t.strictSame(feed(cut(bytes, () => 1)).messages, corpus);
  t.strictSame(feed([bytes]).messages, corpus);
  const spaced = Buffer.from(` \n${corpus.map((message) => JSON.stringify(message)).join('\r\n\t ')}\n`);
  t.strictSame(feed(cut(spaced, () => 3)), { messages: corpus, error: undefined, pendingBytes: 0 });
});

t.test('random chunking', async (t) => {
  const random = seededRandom(7047);
  for (let round = 0; round < 200; round++) {
    const outcome = feed(cut(bytes, () => random(12)));
    t.equal(JSON.stringify(outcome.messages), written, `round ${round}`);
  }
});

t.test('a message without an end is pending, not an error', async (t) => {
  const outcome = feed([Buffer.from('{"a":"}}}'), Buffer.alloc(0)]);
  t.strictSame(outcome, { messages: [], error: undefined, pendingBytes: 9 });
});

t.test('messages before garbage are delivered, regardless of the chunks', async (t) => {
  const spoiled = Buffer.from('{"a":1}{"b":2}HTTP/1.1 400\u001b[31m');
  for (const size of [1, 5, 9, 100]) {
    const outcome = feed(cut(spoiled, () => size));
    t.strictSame(outcome.messages, [{ a: 1 }, { b: 2 }]);
    failsWith(t, outcome, /expected the start of a JSON object, got "H/);
    t.notMatch((outcome.error as Error).message, '\u001b', 'control characters in the message are escaped');
  }
});

t.test('a value that is not a JSON object is refused', async (t) => {
  for (const wrong of ['[1]', '1', '"text"', 'null', '}', '{]', '{"a":}', '{"a":1,}', '{"a" 1}', '{\u0001}']) {
    failsWith(t, feed([Buffer.from(wrong)]), /not JSON|expected the start/);
  }
  failsWith(t, feed([Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])]), /not JSON/);
  failsWith(t, feed([Buffer.from([0x16, 0x03, 0x01])]), /got "\\u0016/);
});

t.test('the size limit applies to one message, and before its end arrives', async (t) => {
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  const start = Buffer.from('{"a":"');
  const end = Buffer.from('"}');
  const messageOf = (megabytes: number): Buffer[] => [start, ...Array<Buffer>(megabytes).fill(megabyte), end];
  t.equal(feed([...messageOf(40), ...messageOf(40)]).messages.length, 2);
  failsWith(t, feed(messageOf(64)), /larger than 67108864 bytes/, 'too-large');
  failsWith(t, feed([start, ...Array<Buffer>(64).fill(megabyte)]), /larger than 67108864 bytes/, 'too-large');
});

t.test('nesting limit', async (t) => {
  const nested = (depth: number): Buffer => Buffer.from(`{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`);
  t.equal(feed([nested(1000)]).messages.length, 1);
  failsWith(t, feed([nested(1001)]), /nested deeper than 1000/);
  failsWith(t, feed(cut(Buffer.from(`{"a":${'['.repeat(1e6)}`), () => 4096)), /nested deeper than 1000/);
});

t.test('a long message in small chunks', async (t) => {
  const row = '{"name":"ovn-k8s-mp0","external_ids":["map",[["a","}{\\""]]]},';
  const huge = Buffer.from(`{"id":1,"error":null,"result":[${row.repeat(40_000)}{}]}`);
  const { messages } = feed(cut(huge, () => 1400));
  t.equal((messages[0] as { result: unknown[] }).result.length, 40_001);
});

t.test(
  'a long message that is parsed in pieces has the same value, regardless of its content and of the chunks',
  async (t) => {
    const random = seededRandom(4);
    const word = 'ü€😀,{}[]"\\\u0000'.repeat(40);
    const value = (depth: number): Json => {
      const count = random(3);
      const kind = depth > 5 ? 0 : random(4);
      if (kind === 0) return word.slice(0, 2 * random(200));
      if (kind === 1) return Array.from({ length: count }, () => value(depth + 1));
      if (kind === 2) return random(1000);
      return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}${random(9)}`, value(depth + 1)]));
    };
    let long = 0;
    for (let round = 0; round < 15; round++) {
      const rows = Object.fromEntries(Array.from({ length: random(600) }, (_, at) => [`row-${at}`, value(4)]));
      const message = {
        id: round,
        result: [round, { A: rows, B: rows, ['__proto__']: value(3) }, value(2)],
        error: null,
      };
      const written = Buffer.from(JSON.stringify(message));
      if (written.length > 2 * 65_536) long += 1;
      const { messages, error } = feed(cut(Buffer.concat([written, written]), () => 1 + random(100_000)));
      t.equal(error, undefined);
      t.ok(
        messages.every((one) => JSON.stringify(one) === JSON.stringify(JSON.parse(String(written)))),
        `round ${round}`,
      );
      t.equal(messages.length, 2);
    }
    t.ok(long > 5, `${long} messages have several pieces`);
  },
);

t.test('a long message that is not JSON is refused, wherever the fault is', async (t) => {
  const row = `"a":{"b":"${'x'.repeat(1000)}"}`;
  const rows = Array.from({ length: 200 }, (_, at) => row.replace('a', `a${at}`)).join();
  for (const wrong of [`{${rows},}`, `{${rows}]`, `[${rows}]`, `{,${rows}}`, `{${rows},,${rows}}`, `{${rows},"c":}`])
    failsWith(t, feed([Buffer.from(`{"result":[${wrong}],"x":{${rows}}}`)]), /not JSON/);
  const bytes = Buffer.from(`{"result":[{${rows}}]}`);
  bytes[100_000] = 0xff;
  failsWith(t, feed([bytes]), /not JSON/);
});

t.test('most of a long message is parsed before its end arrives', async (t) => {
  const row = `{"name":"${'x'.repeat(1000)}"}`;
  const stream = createMessageStream(() => t.fail('an incomplete message was delivered'));
  const { parse } = JSON;
  let parsedBytes = 0;
  t.teardown(() => {
    JSON.parse = parse;
  });
  JSON.parse = (text: string) => {
    parsedBytes += text.length;
    return parse(text) as unknown;
  };
  stream.push(Buffer.from('{"id":1,"result":[{"rows":['));
  for (let sent = 0; sent < 1000; sent++) stream.push(Buffer.from(`${row},`));
  t.ok(parsedBytes > 900_000, `${parsedBytes} bytes of ${stream.pendingBytes()} are parsed`);
});

/** Returns a random message of about `size` bytes, with rows, sets and maps as a server sends them. */
function updateOf(random: (below: number) => number, size: number): JsonObject {
  const text = (): string => 'a"\\\\\\ü€😀,:{}[]\\"'.slice(0, random(20)).repeat(1 + random(4));
  const pairs = (): Json => ['map', Array.from({ length: random(size / 50) }, (_, at) => [`key-${at}`, text()])];
  const values = (): Json => ['set', Array.from({ length: random(size / 50) }, () => ['uuid', text()])];
  const columns = (): Json => ({
    name: text(),
    number: random(100_000),
    up: random(2) === 0,
    vips: pairs(),
    acls: values(),
  });
  const rows = (): Json =>
    Object.fromEntries(
      Array.from({ length: 1 + random(size / 2_000) }, (_, at) => [
        `row-${at}`,
        random(5) === 0 ? { delete: null } : { [random(2) === 0 ? 'insert' : 'modify']: columns() },
      ]),
    );
  return { id: null, method: 'update3', params: ['mirror', text(), { One: rows(), Two: rows() }] };
}

t.test('any division of any message gives the values of JSON.parse', async (t) => {
  const random = seededRandom(20_261_129);
  let divided = 0;
  for (let round = 0; round < 20; round++) {
    const messages = Array.from({ length: 1 + random(3) }, () => updateOf(random, 1 + random(20_000)));
    const texts = messages.map((message) => JSON.stringify(message));
    const written = Buffer.from(texts.join(random(2) === 0 ? '' : '\n '));
    if (texts.some((one) => one.length > 2 * 65_536)) divided++;
    const expected = texts.map((one) => JSON.stringify(JSON.parse(one)));
    for (const largest of [70_000, 65_536, 2_000, 60]) {
      const outcome = feed(cut(written, () => 1 + random(largest)));
      if (outcome.error !== undefined || outcome.pendingBytes !== 0)
        t.fail(`round ${round}, ${largest}: ${outcome.error}`);
      t.ok(
        JSON.stringify(outcome.messages.map((one) => JSON.stringify(one))) === JSON.stringify(expected),
        `round ${round}, chunks of at most ${largest} bytes`,
      );
    }
  }
  t.ok(divided > 3, `${divided} messages are parsed in pieces`);
});

t.test('random bytes cause messages or a protocol error, regardless of the chunks', async (t) => {
  const random = seededRandom(1);
  const alphabet = Buffer.from('{}[]",:\\ 0123456789eE+-.truefalsn\u00fc\n');
  let failed = 0;
  for (let round = 0; round < 1000; round++) {
    const noise = Buffer.from(Array.from({ length: random(60) }, () => alphabet[random(alphabet.length)] ?? 0));
    const whole = feed([Buffer.concat([Buffer.from('{'), noise])]);
    const pieces = feed(cut(Buffer.concat([Buffer.from('{'), noise]), () => random(5)));
    if (whole.error !== undefined) failed++;
    if (!(whole.error === undefined || whole.error instanceof OvsdbError)) t.fail(String(whole.error));
    if (String(whole.error) !== String(pieces.error)) t.match(String(pieces.error), /expected the start/);
    if (whole.messages.length !== pieces.messages.length) t.fail(`round ${round} depends on the chunking`);
  }
  t.ok(failed > 100);
});

t.test('messages with one replaced byte', async (t) => {
  const random = seededRandom(2);
  for (let round = 0; round < 1000; round++) {
    const damaged = Buffer.from(bytes);
    damaged[random(damaged.length)] = random(256);
    const { error } = feed(cut(damaged, () => 1 + random(50)));
    if (!(error === undefined || error instanceof OvsdbError)) t.fail(String(error));
  }
});
