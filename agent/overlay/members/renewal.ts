import type { OverlayChassis } from '../../model/overlay.ts';

/*
 * A member requests its next certificate in `ovn-cms-options` of its own chassis, in which it also announces its
 * gateway. OVN's access control ties the row of this chassis to the member's present certificate. The answer, and the
 * authorities that members trust, are in SB_Global, which members can read and only the central node can write.
 */
const entryPrefix = 'microshift-net-request:';
/** Longest request that is accepted, in characters of base64; a request for a key on P-256 has some 320. */
const maxRequestCharacters = 1024;
const authoritiesKey = 'microshift-net-authorities';
const certificatePrefix = 'microshift-net-certificate-';

/**
 * Share of a certificate's validity. The certificate is renewed when less than this share is left. cert-manager has the
 * same default, a third of the duration.
 */
const renewedShare = 1 / 3;

/** Validity of a certificate, in ms since 1970. */
export interface ValidityMs {
  readonly beginMs: number;
  readonly endMs: number;
}

/** Returns true if a certificate is due for renewal. */
export function isDue({ beginMs, endMs }: ValidityMs, nowMs: number): boolean {
  return endMs - nowMs < (endMs - beginMs) * renewedShare;
}

/** Returns true for an entry of `ovn-cms-options` that requests a certificate. */
export function isRequestEntry(entry: string): boolean {
  return entry.startsWith(entryPrefix);
}

/**
 * Returns the entry of `ovn-cms-options` by which a member requests a certificate; `request` is PEM (RFC 7468 section
 * 7).
 */
export function requestEntry(request: string): string {
  return entryPrefix + request.replaceAll(/-----[A-Z ]+-----|\s/g, '');
}

/**
 * Returns the certificate request of a chassis as PEM; null if the chassis does not have exactly one entry in the form
 * of a request.
 */
export function requestOf({ cmsOptions = '' }: Pick<OverlayChassis, 'cmsOptions'>): string | null {
  const [entry, second] = cmsOptions.split(',').filter(isRequestEntry);
  if (entry === undefined || second !== undefined) return null;
  const body = entry.slice(entryPrefix.length);
  if (body.length > maxRequestCharacters || !/^[A-Za-z0-9+/]+={0,2}$/.test(body)) return null;
  const lines = body.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE REQUEST-----', ...lines, '-----END CERTIFICATE REQUEST-----', ''].join('\n');
}

/** Returns true if two texts contain the same certificate request, apart from white space and line lengths. */
export function isSameRequest(a: string, b: string): boolean {
  return requestEntry(a) === requestEntry(b);
}

/**
 * Returns the entries of SB_Global.external_ids that publish the authorities that members trust, and the certificates
 * that answer requests. The key of a certificate ends with the system-id of the member.
 */
export function publishedIds(
  authorities: string,
  answers: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const ofMembers = [...answers].map(([systemId, pem]) => [certificatePrefix + systemId, pem]);
  return { [authoritiesKey]: authorities, ...Object.fromEntries(ofMembers) };
}

/** Returns true for a key of SB_Global.external_ids that is published for members. */
export function isPublishedKey(key: string): boolean {
  return key === authoritiesKey || key.startsWith(certificatePrefix);
}

/** Data that the central node publishes for a member; each field is null if it is not published. */
export interface Published {
  readonly authorities: string | null;
  readonly certificate: string | null;
}

/** Reads the data that is published for a member in SB_Global.external_ids. */
export function publishedFor(systemId: string, ids: Readonly<Record<string, string>>): Published {
  return { authorities: ids[authoritiesKey] ?? null, certificate: ids[certificatePrefix + systemId] ?? null };
}
