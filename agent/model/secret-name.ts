/*
 * Names of secrets are matched generously: a value that is masked without need costs a question, and a value that is
 * not masked costs a password.
 */

/** Names whose values are secrets: `psk`, `802-1x.private-key-password`, `k8s-api-token`, `DB_PASSWORD`, … */
export const secretName =
  /passw|passphrase|psk|secret|token|bearer|credential|private.?key|preshared.?key|wep.?key|mka.?c[ak]|api.?key|key.?data|^pin$/i;
