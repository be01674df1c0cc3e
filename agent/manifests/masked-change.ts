import type { FieldChange } from '../model/manifests.ts';
import { secretName } from '../model/secret-name.ts';

/** Returns a change in a form that may be shown: it shows that a secret changes, but not its value. */
export function maskedChange(kind: string, { path, before, after }: FieldChange): FieldChange {
  const isSecret = (kind === 'Secret' && /^(data|stringData)\b/.test(path)) || hasSecretName(path);
  return { path, before: masked(before, isSecret), after: masked(after, isSecret) };
}

/**
 * Returns true for the path of a secret field, and of the value of a variable with a secret's name:
 * `env[DB_PASSWORD].value`.
 */
function hasSecretName(path: string): boolean {
  const names = path.replace(/\.value$/, '').split(/[.[\]"]+/);
  return secretName.test(names.findLast((name) => name !== '') ?? '');
}

/** Masks every text of a secret; of other values, the texts below a secret's name. */
function masked(value: unknown, isSecret: boolean): unknown {
  if (typeof value === 'string') return isSecret ? '***' : value;
  if (Array.isArray(value)) return value.map((item) => masked(item, isSecret));
  if (typeof value !== 'object' || value === null) return value;
  const variable = (value as { name?: unknown }).name;
  const isSecretVariable = typeof variable === 'string' && secretName.test(variable);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isBelow = secretName.test(name) || (isSecretVariable && name === 'value');
      return [name, masked(inner, isSecret || isBelow)];
    }),
  );
}
