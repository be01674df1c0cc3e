/*
 * Masking of secrets, which must not leave the node with a support bundle and must not be shown by `manifests diff`. In
 * case of doubt, a name counts as the name of a secret: an unnecessary mask only causes a question, but a password
 * without a mask is revealed.
 */

/**
 * Pattern of names whose values are secrets: `psk`, `802-1x.private-key-password`, `k8s-api-token`, `DB_PASSWORD`, …
 */
const secretName =
  /passw|passphrase|psk|secret|token|bearer|credential|private.?key|preshared.?key|wep.?key|mka.?c[ak]|api.?key|key.?data|^pin$/i;

export const masked = '(masked)';

/**
 * Suffixes of names that only seem secret: `password-flags` says where a password is stored, and `key-mgmt` and
 * `wep-key-type` say how a key is used.
 */
const harmlessName = /(flags|[-_]type|mgmt|keyidx)$/;

const privateKeyBlock = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]*?(?:-----END \1PRIVATE KEY-----|$)/g;
const authorization = /\b((?:proxy-)?authorization\s*[:=]\s*).+/gi;
const bearer = /\b(bearer\s+)[\w.~+/=-]{8,}/gi;
const jsonWebToken = /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g;
/** Password in a URL. It may contain a slash or an @, so it ends before the last @ of the word. */
const urlPassword = /(\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s/:@"'<>]{0,200}:)[^\s"'<>]{1,400}@/gi;
/** Option and the word after it, unless that word is another option: `--password VALUE`, `-token VALUE`. */
const option = /(?<![\w-])(--?)([a-z][\w-]{0,60})(\s+)("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s"'-]\S*)/gi;
/** `-u NAME:PASSWORD` and `--user NAME:PASSWORD` (curl(1)). */
const userOption = /(?<![\w-])((?:-u|--user|--proxy-user|-U)[\s=]*["']?[^\s:"'=]{1,100}:)[^\s"']+/g;
/**
 * Name and separator before a value: `name=`, `name: `, `"name": `. The value is quoted, or extends to the next space,
 * comma, or closing bracket or brace.
 */
const nameAndSign = /(?<![\w./-])("?)([\w./-]+)\1\s*[=:]\s*/g;
const valueAhead = /"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|[^\s,}\]]+/y;

/** Returns true for the name of a setting whose value is a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !harmlessName.test(name);
}

/**
 * Masks secrets in any text: private keys, credentials in headers and URLs, values of names that mean a secret, and the
 * secrets in `known`.
 */
export function maskText(text: string, known: readonly string[] = []): string {
  const literal = known.reduce((rest, secret) => rest.replaceAll(secret, masked), text);
  const shapes = literal
    .replaceAll(privateKeyBlock, masked)
    .replaceAll(authorization, `$1${masked}`)
    .replaceAll(bearer, `$1${masked}`)
    .replaceAll(jsonWebToken, masked)
    .replaceAll(urlPassword, `$1${masked}@`)
    .replaceAll(userOption, `$1${masked}`)
    .replaceAll(option, (whole, dashes: string, name: string, blank: string) =>
      isSecretName(name) ? `${dashes}${name}${blank}${masked}` : whole,
    );
  return maskAssignments(shapes);
}

/**
 * Masks assignments in one pass from left to right. The value of a harmless name may itself be an assignment: `error:
 * psk=…`.
 */
function maskAssignments(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  nameAndSign.lastIndex = 0;
  for (let match = nameAndSign.exec(text); match !== null; match = nameAndSign.exec(text)) {
    const [whole, , name = ''] = match;
    valueAhead.lastIndex = match.index + whole.length;
    const value = isSecretName(name) ? valueAhead.exec(text)?.[0] : undefined;
    if (value === undefined || isInterfaceToken(name, value)) continue;
    parts.push(text.slice(kept, match.index), whole, masked);
    kept = valueAhead.lastIndex;
    nameAndSign.lastIndex = kept;
  }
  return parts.join('') + text.slice(kept);
}

/**
 * Masks a JSON value: each text, list or object under a key with the name of a secret, and the `value` of a variable
 * whose `name` is that of a secret (EnvVar of Kubernetes). Masks secrets in all keys and in all other texts as
 * `maskText` does.
 */
export function maskJson(value: unknown, known: readonly string[] = []): unknown {
  if (typeof value === 'string') return maskText(value, known);
  if (Array.isArray(value)) return value.map((item) => maskJson(item, known));
  if (typeof value !== 'object' || value === null) return value;
  const variable = 'name' in value && typeof value.name === 'string' ? value.name : '';
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isSecret = isSecretName(key) || (key === 'value' && isSecretName(variable));
      const keep = item === null || typeof item === 'boolean' || typeof item === 'number' || !isSecret;
      return [maskText(key, known), keep || isInterfaceToken(key, tokenText(item)) ? maskJson(item, known) : masked];
    }),
  );
}

/** Masks every string of a JSON value. Keys, numbers, booleans and null stay. */
export function maskAll(value: unknown): unknown {
  if (typeof value === 'string') return masked;
  if (Array.isArray(value)) return value.map(maskAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskAll(item)]));
}

/**
 * Masks a keyfile of NetworkManager (nm-settings-keyfile(5)): values whose names mean a key or a password, and all
 * values of [vpn-secrets].
 */
export function maskKeyfile(text: string, known: readonly string[] = []): string {
  return maskText(
    keyfileLines(text)
      .map(({ line, name, secret }) => (secret === null ? line : `${name}=${masked}`))
      .join('\n'),
    known,
  );
}

/** Returns the secrets in a keyfile, the longest first, so that they can be masked wherever else they appear. */
export function secretsOfKeyfile(text: string): readonly string[] {
  const values = keyfileLines(text).flatMap(({ secret }) =>
    secret === null ? [] : [secret, secret.replace(/^"(.*)"$/, '$1')],
  );
  // Secrets of fewer than four characters are left out: they would match parts of other words, and are too short for
  // real secrets.
  return [...new Set(values.filter((value) => value.length >= 4))].toSorted((a, b) => b.length - a.length);
}

/** Splits a keyfile into lines; `secret` is null for a line without a secret. */
function keyfileLines(text: string): readonly { line: string; name: string; secret: string | null }[] {
  let section = '';
  return text.split('\n').map((line) => {
    section = /^\s*\[(.*)\]\s*$/.exec(line)?.[1] ?? section;
    const [, name = '', value = ''] = /^\s*#?\s*([^=[\]]+?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const named = /pass|secret|psk|key|cak|token|^pin$|cert-data/i.test(name) && !harmlessName.test(name);
    const secret = value !== '' && (named || section === 'vpn-secrets') && !isInterfaceToken(name, value);
    return { line, name, secret: secret ? value : null };
  });
}

/**
 * Returns true for a property `token` whose value is an IPv6 interface identifier such as `::1`. An interface
 * identifier is not secret.
 */
function isInterfaceToken(name: string, value: string): boolean {
  return /(^|\.)token$/.test(name) && /^"?::[\da-f:]*"?$/i.test(value);
}

/**
 * Returns the text of a value in a profile; the empty string if the value is not a string. The value may be a plain
 * string, or a list of a D-Bus signature and the string: `["s", "::1"]`.
 */
function tokenText(item: unknown): string {
  const text: unknown = Array.isArray(item) ? item[1] : item;
  return typeof text === 'string' ? text : '';
}
