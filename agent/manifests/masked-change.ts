import { isSecretName, maskAll, maskJson } from '../mask.ts';
import type { FieldChange } from '../model/manifests.ts';

/** Returns a change in a form that may be shown: it shows that a secret changes, but not its value. */
export function maskedChange(kind: string, { path, before, after }: FieldChange): FieldChange {
  const isSecret = (kind === 'Secret' && /^(data|stringData)\b/.test(path)) || hasSecretName(path);
  const mask = isSecret ? maskAll : (value: unknown) => maskJson(value);
  return { path, before: mask(before), after: mask(after) };
}

/**
 * Returns true if the last name in the path of a field is that of a secret. `value` at the end of a path does not
 * count, so the last name in the path of a variable's value is that of the variable: `env[DB_PASSWORD].value`.
 */
function hasSecretName(path: string): boolean {
  const names = path.replace(/\.value$/, '').split(/[.[\]"]+/);
  return isSecretName(names.findLast((name) => name !== '') ?? '');
}
