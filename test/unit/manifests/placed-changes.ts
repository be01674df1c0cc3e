// Compares two streams of YAML, and states the place of each difference.

/** Maximum number of removed lines per place that the comparison shows; the rest is in the first text. */
const mostRemoved = 6;

/** Lines that the first text has at a place, and the lines that the second text has instead. */
interface Place {
  /** Number of lines of the first text before the place. */
  readonly at: number;
  /** Number of lines of the second text before the place. */
  readonly in: number;
  readonly removed: string[];
  readonly added: string[];
}

/**
 * Returns the differing lines of two streams of YAML, place by place. `after 12, DaemonSet ovnkube-node spec.template:`
 * means: after line 12 of the first text, and under these keys of this object in the second text; an item of a list has
 * its `name` as key. The first text and these lines determine the second text, including its order.
 */
export function placedChanges(before: string, after: string): readonly string[] {
  const [from, to] = [before.split('\n'), after.split('\n')];
  return placesOf(from, to).flatMap((place, index) => [
    ...(index === 0 ? [] : ['']),
    `after ${place.at}, ${keysAbove(to, place.in, place.added[0] ?? place.removed[0] ?? '')}:`,
    ...shortened(place.removed).map((line) => `- ${line}`),
    ...place.added.map((line) => `+ ${line}`),
  ]);
}

function shortened(removed: readonly string[]): readonly string[] {
  if (removed.length <= mostRemoved) return removed;
  return [removed[0] ?? '', `(${removed.length - 2} lines)`, removed.at(-1) ?? ''];
}

/** Returns the object and the keys of a line that comes after this number of lines of a text. */
function keysAbove(lines: readonly string[], count: number, line: string): string {
  const keys: string[] = [];
  let depth = line.search(/\S/);
  let start = count - 1;
  for (; start >= 0 && lines[start] !== '---'; start -= 1) {
    const [, indent = '', item = '', key = '', value = ''] =
      /^( *)(- )?([\w./-]+):(?: (.*))?$/.exec(lines[start] ?? '') ?? [];
    if (key === '' || indent.length >= depth) continue;
    depth = indent.length;
    keys.unshift(item === '' ? key : value);
  }
  const object = lines.slice(start + 1);
  const wordOf = (key: string): string =>
    object
      .find((one) => one.trim().startsWith(`${key}: `))
      ?.trim()
      .replace(`${key}: `, '') ?? '';
  return `${wordOf('kind')} ${wordOf('name')} ${keys.filter((key) => key !== '').join('.')}`.trim();
}

/**
 * Returns the places at which the second list of lines differs from the first, with as many common lines as possible.
 */
function placesOf(from: readonly string[], to: readonly string[]): readonly Place[] {
  const common = commonLengths(from, to);
  const lengthAt = (i: number, j: number): number => common[i]?.[j] ?? 0;
  const places: Place[] = [];
  let [i, j, last] = [0, 0, null as Place | null];
  while (i < from.length || j < to.length) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      [i, j, last] = [i + 1, j + 1, null];
      continue;
    }
    if (last === null) {
      last = { at: i, in: j, removed: [], added: [] };
      places.push(last);
    }
    if (j === to.length || (i < from.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      last.removed.push(from[i] ?? '');
      i += 1;
    } else {
      last.added.push(to[j] ?? '');
      j += 1;
    }
  }
  return places;
}

/** Returns, for each pair of positions, the length of the longest common subsequence of the remaining lines. */
function commonLengths(from: readonly string[], to: readonly string[]): readonly Uint16Array[] {
  const rows = Array.from({ length: from.length + 1 }, () => new Uint16Array(to.length + 1));
  for (let i = from.length - 1; i >= 0; i -= 1) {
    const [row, below] = [rows[i] ?? [], rows[i + 1] ?? []];
    for (let j = to.length - 1; j >= 0; j -= 1)
      row[j] = from[i] === to[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
  }
  return rows;
}
