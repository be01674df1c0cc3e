// Generates inputs from a seed: the same target, seed and number result in the same input on every machine.
import { seededRandom } from '../unit/ovsdb/random.ts';
import type { FuzzTarget, Random } from './target.ts';

/** Largest repeated text: longer than all real texts, and small enough for thousands of inputs per second. */
const largestRepeatBytes = 64 * 1024;

/** Returns input number `index` of a run. The first inputs are those of the corpus without changes. */
export function inputOf(target: FuzzTarget, corpus: readonly Buffer[], seed: number, index: number): Buffer {
  const untouched = corpus[index];
  if (untouched !== undefined) return untouched;
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index, 0x85ebca6b));
  if (random(20) === 0) return noise(random);
  let input = picked(corpus, random);
  const changes = 1 + random(4);
  for (let count = 0; count < changes; count++) {
    if (target.form === 'json' && random(4) > 0) input = changedTree(input, corpus, random);
    else input = changedBytes(input, corpus, target.words, random);
  }
  return input;
}

/** Returns a random source that depends only on the input (FNV-1a of its bytes). */
export function randomOf(input: Buffer): Random {
  let hash = 0x811c9dc5;
  for (const byte of input) hash = Math.imul(hash ^ byte, 0x01000193);
  return seededRandom(hash);
}

function noise(random: Random): Buffer {
  const alphabet = [256, 128, 64][random(3)] ?? 256;
  return Buffer.from(Array.from({ length: random(300) }, () => random(alphabet)));
}

function changedBytes(input: Buffer, corpus: readonly Buffer[], words: readonly string[], random: Random): Buffer {
  const at = random(input.length + 1);
  const cut = at + random(Math.min(1 + input.length - at, 9));
  const head = input.subarray(0, at);
  const other = picked(corpus, random);
  switch (random(8)) {
    case 0:
      return head;
    case 1:
      return Buffer.concat([head, other.subarray(random(other.length + 1))]);
    case 2:
      return Buffer.concat([head, repeated(input.subarray(at, at + 1 + random(200)), random), input.subarray(at)]);
    case 3:
      return Buffer.concat([head, input.subarray(cut)]);
    case 4:
      return Buffer.concat([head, Buffer.from([random(256)]), input.subarray(Math.min(at + 1, input.length))]);
    default:
      return Buffer.concat([head, Buffer.from(words[random(words.length)] ?? ''), input.subarray(cut)]);
  }
}

function repeated(piece: Buffer, random: Random): Buffer {
  if (piece.length === 0) return piece;
  const times = 1 << random(14);
  return Buffer.alloc(Math.min(piece.length * times, largestRepeatBytes), piece);
}

type Tree = unknown[] | Record<string, unknown>;

/** Replaces, removes or doubles one place of a JSON value, or exchanges it for a part of another input. */
function changedTree(input: Buffer, corpus: readonly Buffer[], random: Random): Buffer {
  const root = parsed(input);
  if (!isTree(root)) return input;
  const [node, key] = placeIn(root, random);
  const holder = node as Record<string | number, unknown>;
  switch (random(5)) {
    case 0:
      if (Array.isArray(node)) node.splice(Number(key), 1);
      else delete holder[key];
      break;
    case 1:
      if (Array.isArray(node)) node.push(holder[key]);
      else holder[`${String(key)}${['', '2', '\0', ' '][random(4)]}`] = holder[key];
      break;
    case 2: {
      const other = parsed(picked(corpus, random));
      if (isTree(other)) {
        const [from, name] = placeIn(other, random);
        holder[key] = (from as Record<string | number, unknown>)[name];
      }
      break;
    }
    case 3:
      holder[key] = random(2) === 0 ? [holder[key]] : { [String(key)]: holder[key] };
      break;
    default:
      holder[key] = strange(random);
  }
  return Buffer.from(JSON.stringify(root));
}

function placeIn(root: Tree, random: Random): [Tree, string | number] {
  let node = root;
  for (;;) {
    const keys = Array.isArray(node) ? [...node.keys()] : Object.keys(node);
    const key = keys[random(keys.length || 1)] ?? (Array.isArray(node) ? 0 : 'new');
    const next = (node as Record<string | number, unknown>)[key];
    if (!isTree(next) || random(5) === 0) return [node, key];
    node = next;
  }
}

/** Returns an unexpected value of a random type. */
function strange(random: Random): unknown {
  const values = [
    null,
    true,
    0,
    -1,
    1e308,
    2 ** 53,
    4_294_967_296,
    '',
    '/',
    '\0',
    '\u001b[31m',
    '../../etc/passwd',
    '$(reboot)',
    'x'.repeat(5000),
    [],
    {},
    [null],
    [[]],
    { '': '' },
    JSON.parse('{"__proto__": {"polluted": true}}') as unknown,
    nested(2000),
  ];
  return values[random(values.length)];
}

function nested(depth: number): unknown {
  let value: unknown = null;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

function parsed(input: Buffer): unknown {
  try {
    return JSON.parse(input.toString());
  } catch {
    return null;
  }
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null;
}

function picked(corpus: readonly Buffer[], random: Random): Buffer {
  return corpus[random(corpus.length)] ?? Buffer.alloc(0);
}
