// A strict reader of Prometheus' text format (version 0.0.4), with the rules of naming that promtool checks.

export interface Metrics {
  value(name: string, labels: Readonly<Record<string, string>>): number | undefined;
}

type Kind = 'gauge' | 'counter';
const name = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const help = new RegExp(`^# HELP (${name}) (\\S.*)$`);
const type = new RegExp(`^# TYPE (${name}) (gauge|counter)$`);
const sample = new RegExp(`^(${name})(?:\\{(.*)\\})? (-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)$`);
const label = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/;

/** Reads a whole file; throws at the first violation of the format. */
export function parseMetrics(text: string): Metrics {
  if (!text.endsWith('\n')) throw new SyntaxError('the last line has no line feed');
  const samples = new Map<string, number>();
  const families = new Set<string>();
  let helped = '';
  let family = { name: '', kind: 'gauge' as Kind };
  for (const line of text.slice(0, -1).split('\n')) {
    const [, helpOf] = help.exec(line) ?? [];
    const [, typeOf, kind] = type.exec(line) ?? [];
    const [, sampleOf, labels = '', value] = sample.exec(line) ?? [];
    if (helpOf !== undefined) helped = helpOf;
    else if (typeOf !== undefined) {
      if (helped !== typeOf) throw new SyntaxError(`${typeOf} has no help`);
      if (families.has(typeOf)) throw new SyntaxError(`${typeOf} is in two places`);
      families.add(typeOf);
      family = { name: typeOf, kind: kind as Kind };
      checkName(family);
    } else if (sampleOf !== undefined) {
      if (sampleOf !== family.name) throw new SyntaxError(`${sampleOf} comes without its type`);
      const key = keyOf(sampleOf, parseLabels(labels));
      if (samples.has(key)) throw new SyntaxError(`${key} is there twice`);
      samples.set(key, Number(value));
    } else throw new SyntaxError(`no metric: ${JSON.stringify(line)}`);
  }
  return { value: (metric, labels) => samples.get(keyOf(metric, labels)) };
}

function checkName(family: { name: string; kind: Kind }): void {
  if (family.name.endsWith('_total') !== (family.kind === 'counter'))
    throw new SyntaxError(`${family.name}: counters, and only they, end in _total`);
  if (/_(ms|milliseconds|minutes|bits)(_|$)/.test(family.name))
    throw new SyntaxError(`${family.name}: base units only`);
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const match = label.exec(rest);
    if (match === null) throw new SyntaxError(`no labels: ${text}`);
    const [whole, key = '', value = ''] = match;
    if (key in labels) throw new SyntaxError(`the label ${key} is there twice`);
    labels[key] = value.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
    rest = rest.slice(whole.length);
  }
  return labels;
}

function keyOf(metric: string, labels: Readonly<Record<string, string>>): string {
  return JSON.stringify([metric, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}
