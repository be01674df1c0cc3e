/** The switch between routers has this name, and a node's switch has that of the node. */
const taken = 'join';

/** A node's name as the API server takes it (RFC 1123, kubernetes.io "Object Names"): it gets into names of rows and files. */
export function isNodeName(text: string): boolean {
  return text !== taken && text.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text) && !text.includes('..');
}

/** external_ids:system-id as a common name (RFC 5280, ub-common-name: 64) and as part of names of rows. */
export function isSystemId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
}
