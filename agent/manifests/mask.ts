import type { FieldChange } from '../model/manifests.ts';

/** Names of variables and keys whose values are nobody's business on a screen or in a bug report. */
const secretName = /passw|secret|token|credential|private.?key|api.?key/i;

/** A change as it may be shown: that something secret changes is told, what it is is not. */
export function maskedChange(kind: string, { path, before, after }: FieldChange): FieldChange {
  const isSecret = (kind === 'Secret' && /^(data|stringData)\b/.test(path)) || hasSecretName(path);
  const show = (value: unknown): unknown => (isSecret ? maskAll(value) : maskValues(value));
  return { path, before: show(before), after: show(after) };
}

/** True for the path of a secret field, and of the value of a variable with a secret's name: `env[DB_PASSWORD].value`. */
function hasSecretName(path: string): boolean {
  const names = path.replace(/\.value$/, '').split(/[.[\]"]+/);
  return secretName.test(names.findLast((name) => name !== '') ?? '');
}

function maskValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskValues);
  if (typeof value !== 'object' || value === null) return value;
  const variable = (value as { name?: unknown }).name;
  const isSecretVariable = typeof variable === 'string' && secretName.test(variable);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isSecret = secretName.test(name) || (isSecretVariable && name === 'value');
      return [name, isSecret ? maskAll(inner) : maskValues(inner)];
    }),
  );
}

function maskAll(value: unknown): unknown {
  if (typeof value === 'string') return '***';
  if (Array.isArray(value)) return value.map(maskAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskAll(inner)]));
}
