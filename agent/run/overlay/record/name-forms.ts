/**
 * Name of the logical switch that connects the routers. The logical switch of a node has the node's name, so no node
 * may have this name.
 */
const taken = 'join';

/**
 * Returns true if the text is a node name that the API server accepts (RFC 1123, kubernetes.io "Object Names"), other
 * than `join`. Names of rows and files contain the node name.
 */
export function isNodeName(text: string): boolean {
  return text !== taken && text.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text) && !text.includes('..');
}

/**
 * Returns true if the text is a valid external_ids:system-id that is also a valid common name (RFC 5280,
 * ub-common-name: 64 characters) and a valid part of row names.
 */
export function isSystemId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
}
