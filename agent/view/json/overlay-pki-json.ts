import type { GatewayGrant } from '../../model/overlay.ts';
import type { OverlayBundle } from '../../model/overlay-record.ts';

/** `overlay pki init`: the authority that was made. */
export interface OverlayPkiInitDocument {
  readonly command: 'overlay pki init';
  readonly outcome: 'changed';
  readonly authority: CertificateJson;
}

/** A certificate of the cluster. */
export interface CertificateJson {
  /** Name of the node, `this node`, or `ca` for the authority. */
  readonly name: string;
  readonly commonName: string;
  /** End of the validity, in ISO 8601. */
  readonly notAfter: string;
  /** Path of the certificate. */
  readonly file: string;
}

/** `overlay pki issue`: the bundle with which a node joins. */
export interface OverlayPkiIssueDocument extends BundleJson {
  readonly command: 'overlay pki issue';
  readonly outcome: 'changed';
}

/**
 * `overlay pki renew`: another bundle for a member. The certificate of this node itself is renewed in place, without a
 * bundle.
 */
export interface OverlayPkiRenewDocument extends BundleJson {
  readonly command: 'overlay pki renew';
  readonly outcome: 'changed';
}

/** A bundle, or the file into which it was written. */
export interface BundleJson {
  /** Name of the node; null for this node, which needs no bundle. */
  readonly node: string | null;
  /** File of the bundle; null if it was not written to a file. */
  readonly file: string | null;
  /** Bundle, whose JSON text `overlay join` reads; null if it was written to a file, or if none is needed. */
  readonly bundle: Readonly<Record<string, unknown>> | null;
}

/** `overlay pki request`: the certificate request. */
export interface OverlayPkiRequestDocument {
  readonly command: 'overlay pki request';
  readonly outcome: 'changed';
  /** Request in PEM; null if it was written to a file. */
  readonly request: string | null;
  /** File of the request; null if it was not written to a file. */
  readonly file: string | null;
}

/** `overlay pki rotate`: the progress of the replacement of the authority. */
export interface OverlayPkiRotateDocument {
  readonly command: 'overlay pki rotate';
  readonly outcome: 'changed';
  /** Common name of the authority that signs from now on. */
  readonly authority: string;
  /** Members that have no certificate of the new authority yet. */
  readonly waiting: readonly string[];
  /** True if the former authority is not trusted any more. */
  readonly isDone: boolean;
}

/** `overlay pki grant`: the addresses that a member's gateway may use. */
export interface OverlayPkiGrantDocument {
  readonly command: 'overlay pki grant';
  readonly outcome: 'changed';
  readonly node: string;
  readonly granted: GrantJson;
}

/** Addresses and subnets that a gateway may use. */
export interface GrantJson {
  readonly addresses: readonly string[];
  readonly subnets: readonly string[];
}

/** `overlay pki show`: the certificates on this node. */
export interface OverlayPkiShowDocument {
  readonly command: 'overlay pki show';
  readonly outcome: 'shown';
  readonly certificates: readonly ListedCertificateJson[];
}

/** A certificate that `overlay pki show` lists. */
export interface ListedCertificateJson extends CertificateJson {
  /** Days until the certificate expires; negative after its expiry. */
  readonly days: number;
}

function certificateJson({ name, commonName, notAfter, file }: CertificateJson): CertificateJson {
  return { name, commonName, notAfter, file };
}

/** Returns the document of `overlay pki init`. */
export function pkiInitDocument(authority: CertificateJson): OverlayPkiInitDocument {
  return { command: 'overlay pki init', outcome: 'changed', authority: certificateJson(authority) };
}

/**
 * Returns the document of a command that issues a bundle. `bundle` is null if the certificate of this node itself was
 * renewed.
 */
export function bundleDocument(
  command: 'overlay pki issue' | 'overlay pki renew',
  bundle: OverlayBundle | null,
  file: string | null,
): OverlayPkiIssueDocument | OverlayPkiRenewDocument {
  const node = bundle?.node.name ?? null;
  const shown = bundle === null || file !== null ? null : { ...bundle };
  return { command, outcome: 'changed', node, file, bundle: shown };
}

/** Returns the document of `overlay pki request`. */
export function requestDocument(request: string, file: string | null): OverlayPkiRequestDocument {
  return { command: 'overlay pki request', outcome: 'changed', request: file === null ? request : null, file };
}

/** Returns the document of `overlay pki rotate`. */
export function rotateDocument({
  authority,
  waiting,
  isDone,
}: Omit<OverlayPkiRotateDocument, 'command' | 'outcome'>): OverlayPkiRotateDocument {
  return { command: 'overlay pki rotate', outcome: 'changed', authority, waiting, isDone };
}

/** Returns the document of `overlay pki grant`. */
export function grantDocument(node: string, { addresses, subnets }: GatewayGrant): OverlayPkiGrantDocument {
  return { command: 'overlay pki grant', outcome: 'changed', node, granted: { addresses, subnets } };
}

/** Returns the document of `overlay pki show`. */
export function certificatesDocument(certificates: readonly ListedCertificateJson[]): OverlayPkiShowDocument {
  const listed = certificates.map((certificate) => ({ ...certificateJson(certificate), days: certificate.days }));
  return { command: 'overlay pki show', outcome: 'shown', certificates: listed };
}
