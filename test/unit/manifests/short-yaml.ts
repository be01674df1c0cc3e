// Compact YAML: a list or a mapping that fits on a line is on one line.
import { dump } from 'js-yaml';

const width = 120;

/** Returns the objects as one stream of YAML. */
export function shortYaml(objects: readonly object[]): string {
  return objects.map((object) => `---\n${writtenOut(object, 0).join('\n')}\n`).join('');
}

/** Returns the lines of a list or a mapping with this indent. */
function writtenOut(value: object, indent: number): readonly string[] {
  const margin = ' '.repeat(indent);
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      const [first = '', ...others] = linesOf(item, indent + 2);
      return [`${margin}- ${first.trimStart()}`, ...others];
    });
  }
  return Object.entries(value).flatMap(([key, item]) => {
    const [first = '', ...others] = linesOf(item, indent + 2, key.length);
    const isBeside = others.length === 0 || typeof item === 'string';
    const rest = isBeside ? others : [first, ...others];
    return [`${margin}${key}:${isBeside ? ` ${first.trimStart()}` : ''}`, ...rest];
  });
}

/** Returns a value with this indent: on one line if it fits after a key of this length, otherwise on several lines. */
function linesOf(value: unknown, indent: number, keyLength = 0): readonly string[] {
  const margin = ' '.repeat(indent);
  const isText = typeof value === 'string' && value.includes('\n');
  const flat = dump(value, isText ? { lineWidth: -1 } : { flowLevel: 0, lineWidth: -1 }).trimEnd();
  if (isText)
    return flat.split('\n').map((line, index) => (index === 0 || line === '' ? line : `${margin}${line}`.slice(2)));
  const isShort = indent + keyLength + flat.length <= width && !flat.includes('\\n');
  return isShort || typeof value !== 'object' || value === null ? [`${margin}${flat}`] : writtenOut(value, indent);
}
