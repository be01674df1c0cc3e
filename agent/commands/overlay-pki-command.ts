import { readFileSync } from 'node:fs';
import { writeFileAtomically } from '../drivers/host/files/files.ts';
import { AgentError, messageOf } from '../errors.ts';
import type { GatewayGrant } from '../model/overlay.ts';
import type { OverlayBundle } from '../model/overlay-record.ts';
import { withBriefLock, withLock } from '../run/lock.ts';
import { certificateDays, initAuthority, listCertificates } from '../run/overlay/certificates/authority.ts';
import { parseRequest, requestCertificate } from '../run/overlay/certificates/certificate-request.ts';
import { admitNode } from '../run/overlay/membership/admit.ts';
import { grantGateway, renewBundle } from '../run/overlay/membership/issue.ts';
import { rotateAuthority } from '../run/overlay/node/certificate-renewal.ts';
import { daysUntil } from '../run/overlay/node/nodes.ts';
import { overlayPlaces } from '../run/overlay/record/places.ts';
import { bundleText } from '../run/overlay/record/record.ts';
import { uninterrupted } from '../run/signals.ts';
import {
  bundleDocument,
  certificatesDocument,
  grantDocument,
  pkiInitDocument,
  requestDocument,
  rotateDocument,
} from '../view/json/overlay-pki-json.ts';
import { bundleWrittenText, certificatesText, requestWrittenText, rotationText } from '../view/overlay-pki-view.ts';
import type { Output } from './output.ts';
import { startOverlay } from './overlay-start-command.ts';
import { requireRoot } from './root.ts';
import { terminalWidth } from './terminal-width.ts';

export interface PkiOptions {
  readonly systemId: string;
  readonly days?: number;
  /**
   * Addresses that the node's gateway may use (`gateway`), and pod subnets of other nodes (`gatewaySubnets`) whose
   * packets may leave the cluster through this gateway. Both lists are separated by commas.
   */
  readonly gateway?: string;
  readonly gatewaySubnets?: string;
  /**
   * File with the certificate request of a node that keeps its key; `-` for standard input. Absent if this command
   * makes the key of the node.
   */
  readonly request?: string;
  /** File for the bundle; absent or `-` for standard output. */
  readonly outputFile?: string;
}

type GrantOptions = Pick<PkiOptions, 'gateway' | 'gatewaySubnets'>;

/** `overlay pki init`: creates the certification authority for a later cluster. */
export async function init({ days }: { readonly days?: number }, output: Output): Promise<void> {
  const command = 'overlay pki init';
  requireRoot(command);
  const made = await toItsEnd(command, output, () => initAuthority(overlayPlaces.pki, days));
  const text = `${made.file} is the authority of a cluster that is begun here with \`microshift-net overlay init\`, valid until ${made.notAfter.slice(0, 10)}.`;
  output.result(text, pkiInitDocument(made));
}

/** `overlay pki issue NODE`: makes a node a member and prints the bundle with which it joins. */
export async function issue(name: string, options: PkiOptions, output: Output): Promise<void> {
  const command = 'overlay pki issue';
  const { places } = await startOverlay(command);
  const { systemId, days = certificateDays } = options;
  const granted = grantOf(options);
  const request = requestIn(options.request);
  await admitNode(
    { name, systemId, days, granted, request },
    places,
    (work) => withBriefLock(command, work, output.say),
    (bundle) => giveOut(command, bundle, options.outputFile, output),
    output.say,
  );
}

/**
 * Changes keys or certificates while the process has the agent's lock. The change is short, and a signal does not stop
 * it, so that no file is half written.
 */
function toItsEnd<T>(command: string, { say }: Output, work: () => Promise<T>): Promise<T> {
  return withLock(command, () => uninterrupted(`\`${command}\``, say, work), say);
}

/** `overlay pki request`: makes a key that stays on this node, and prints the certificate request for it. */
export async function request({ outputFile }: Pick<PkiOptions, 'outputFile'>, output: Output): Promise<void> {
  const command = 'overlay pki request';
  const { places } = await startOverlay(command);
  const made = await toItsEnd(command, output, () => requestCertificate(places));
  if (outputFile === undefined || outputFile === '-') {
    output.result(made.trimEnd(), requestDocument(made, null), null, 'verbatim');
    return;
  }
  writeFileAtomically(outputFile, made);
  output.result(requestWrittenText(outputFile), requestDocument(made, outputFile));
}

/** `overlay pki rotate`: replaces the authority of the cluster; runs on the central node. */
export async function rotate(
  { finish = false, days }: { readonly finish?: boolean; readonly days?: number },
  output: Output,
): Promise<void> {
  const command = 'overlay pki rotate';
  const { places } = await startOverlay(command);
  const rotation = await toItsEnd(command, output, () => rotateAuthority(places, finish, output.say, days));
  output.result(rotationText(rotation), rotateDocument(rotation));
}

function requestIn(file: string | undefined): string | null {
  if (file === undefined) return null;
  const unusable = (what: string, cause?: unknown): AgentError =>
    new AgentError('bad-usage', `${file} ${what}`, {
      hint: 'make the request on the node with: microshift-net overlay pki request',
      cause,
    });
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw unusable(`cannot be read: ${messageOf(cause)}`, cause);
  }
  const request = parseRequest(text);
  if (request === null) throw unusable('is not a request for a certificate');
  return request;
}

/**
 * `overlay pki grant NODE`: changes the addresses that a member's gateway may use besides the member's tunnel address.
 */
export async function grant(
  name: string,
  options: GrantOptions & { readonly revoke?: true },
  output: Output,
): Promise<void> {
  const command = 'overlay pki grant';
  const { places } = await startOverlay(command);
  const granted = await toItsEnd(command, output, () =>
    grantGateway(name, grantOf(options), options.revoke === true, places),
  );
  const all = [...granted.addresses, ...granted.subnets].join(', ') || 'nothing but its tunnel address';
  output.result(`The gateway of ${name} may have ${all}.`, grantDocument(name, granted));
}

function grantOf({ gateway = '', gatewaySubnets = '' }: GrantOptions): GatewayGrant {
  const words = (text: string): readonly string[] => text.split(',').filter((word) => word !== '');
  return { addresses: words(gateway), subnets: words(gatewaySubnets) };
}

/**
 * `overlay pki renew [NODE]`: issues a new certificate; for another node, prints a bundle with which it joins again.
 */
export async function renew(
  name: string | undefined,
  options: Pick<PkiOptions, 'days' | 'outputFile' | 'request'>,
  output: Output,
): Promise<void> {
  const command = 'overlay pki renew';
  const { places } = await startOverlay(command);
  const { days = certificateDays } = options;
  const request = requestIn(options.request);
  const renew = () => renewBundle(name, days, request, places);
  const bundle = await withBriefLock(command, () => uninterrupted(`\`${command}\``, output.say, renew), output.say);
  if (bundle !== null) {
    giveOut(command, bundle, options.outputFile, output);
    return;
  }
  const text = 'This node has a new certificate. Open vSwitch and OVN take it at their next connection.';
  output.result(text, bundleDocument(command, null, null));
}

function giveOut(
  command: Parameters<typeof bundleDocument>[0],
  bundle: OverlayBundle,
  file: string | undefined,
  output: Output,
): void {
  if (file === undefined || file === '-') {
    output.result(bundleText(bundle).trimEnd(), bundleDocument(command, bundle, null), null, 'verbatim');
    return;
  }
  writeFileAtomically(file, bundleText(bundle), 0o600);
  output.result(bundleWrittenText(bundle, file), bundleDocument(command, bundle, file));
}

/** `overlay pki show`: lists the certificates on this node and their validity. */
export async function show(output: Output): Promise<void> {
  requireRoot('overlay pki show');
  const now = Date.now();
  const certificates = listCertificates(overlayPlaces.pki).map((one) => ({
    ...one,
    days: daysUntil(one.notAfter, now),
  }));
  const text = certificatesText(certificates, output.style, terminalWidth(process.stdout));
  output.result(text, certificatesDocument(certificates));
}
