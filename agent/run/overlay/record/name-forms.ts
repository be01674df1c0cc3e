/** Name of the switch that connects the routers. A node's switch has the node's name, so no node may be called so. */
const taken = 'join';

/**
 * True if the text is a node name as the API server accepts it (RFC 1123, kubernetes.io "Object Names"). Names of rows
 * and files contain it.
 */
export function isNodeName(text: string): boolean {
  return text !== taken && text.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text) && !text.includes('..');
}

/**
 * True if the text is a valid external_ids:system-id: usable as a common name (RFC 5280, ub-common-name: 64) and in
 * names of rows.
 */
export function isSystemId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
}
