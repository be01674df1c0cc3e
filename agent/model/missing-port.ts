/** Returns the fault of a member without a port on the central node. */
export function missingPortText(node: string): string {
  return `the central node has no port for ${node}: it was taken out of the cluster there, or its rows are not written yet`;
}

/** Returns the remedy for a member without a port. */
export function missingPortHint(node: string): string {
  return `look at \`microshift-net overlay nodes\` on the central node; to join again: \`microshift-net overlay leave\` here, and a new bundle of \`overlay pki issue ${node}\``;
}
