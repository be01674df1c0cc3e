import type { OverlayBundle } from '../model/overlay-record.ts';
import { joinLines, type Style } from './style.ts';
import { cellsOnly, tableLines } from './table.ts';

/** Returns the text for a bundle that was written to a file. */
export function bundleWrittenText({ node, pem }: OverlayBundle, file: string): string {
  const secret = pem.key === null ? '' : ' The file contains the key of the node: copy it there, and remove it.';
  return joinLines([
    `${file} is for ${node.name}, which has ${node.subnets.join(' and ')}.${secret}`,
    `Then run there: microshift-net overlay join ${file}`,
  ]);
}

/** Returns the text for a certificate request that was written to a file. */
export function requestWrittenText(file: string): string {
  return joinLines([
    `${file} asks for a certificate; it is not secret, and the key stays on this node.`,
    `Copy it to the central node. Run there for a new node: microshift-net overlay pki issue NODE --system-id ID --request ${file}`,
    `For a member: microshift-net overlay pki renew NODE --request ${file}`,
  ]);
}

/** Returns the text for the progress of the replacement of an authority. */
export function rotationText(rotation: {
  readonly authority: string;
  readonly waiting: readonly string[];
  readonly isDone: boolean;
}): string {
  const { authority, waiting, isDone } = rotation;
  const names = waiting.join(', ');
  if (!isDone) {
    const rest = waiting.length === 0 ? 'No member needs another certificate.' : `Without one of it: ${names}.`;
    return joinLines([
      `${authority} signs the certificates of this cluster from now on.`,
      `${rest} The daemons see to that; the authority before it is trusted until then, and not after.`,
    ]);
  }
  const cutOff = waiting.length === 0 ? [] : [`Cut off until they join again with \`pki renew\`: ${names}.`];
  return joinLines([`${authority} alone is trusted from now on.`, ...cutOff]);
}

/** Returns certificates as a table. */
export function certificatesText(
  certificates: readonly { name: string; commonName: string; notAfter: string; days: number; file: string }[],
  style: Style,
  width: number | null,
): string {
  if (certificates.length === 0)
    return 'This node has no certificates of an overlay; `microshift-net overlay init` or `overlay join` creates them.';
  const rows = certificates.map(({ name, commonName, notAfter, days, file }) => [
    name,
    commonName,
    `${notAfter.slice(0, 10)} (${days < 0 ? 'expired' : `${days} days`})`,
    file,
  ]);
  return joinLines(tableLines(['OF', 'NAME IN IT', 'VALID UNTIL', 'FILE'], rows.map(cellsOnly), width, style));
}
