import { X509Certificate } from 'node:crypto';
import { AgentError, type ErrorKind, errorTable, messageOf, withFacts } from '../../errors.ts';
import { fieldAt, listAt } from '../../model/kubernetes/object.ts';
import type { Access, Answer } from './http.ts';

/**
 * HTTP status codes of temporary conditions: too many requests, a server that starts or stops, an etcd without a
 * leader.
 */
const passingStatus = new Set([429, 500, 502, 503, 504]);

/** Pattern of OpenSSL's names of problems with the server's certificate. */
const trustCodes = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT_|ERR_SSL_.*CERT)/;

/** Converts the failure of a request without an answer to an AgentError. */
export function connectionError(access: Access, cause: unknown): AgentError {
  const code = String(fieldAt(cause, 'code') ?? fieldAt(cause, 'name') ?? '');
  const text = messageOf(cause);
  const where = access.server.host;
  if (code.includes('EXPIRED')) {
    return new AgentError('cluster-untrusted', `the certificate of the API server at ${where} has expired`, {
      hint: 'check the clock of this node, then restart microshift.service so that it renews its certificates',
      cause,
    });
  }
  if (code === 'CERT_NOT_YET_VALID') {
    return new AgentError('cluster-untrusted', `the certificate of the API server at ${where} is not valid yet`, {
      hint: 'check the clock of this node: it is behind',
      cause,
    });
  }
  if (trustCodes.test(code)) {
    return new AgentError(
      'cluster-untrusted',
      `the API server at ${where} is not the one ${access.path} trusts: ${text}`,
      {
        hint: 'use the kubeconfig that belongs to this cluster; MicroShift makes a new one when its data is removed',
        cause,
      },
    );
  }
  const isTimeout = ['ABORT_ERR', 'AbortError', 'TimeoutError'].includes(code);
  const why = isTimeout ? 'it did not answer in time' : text || code;
  return new AgentError('cluster-unreachable', `the API server at ${where} cannot be reached: ${why}`, {
    hint: 'check that microshift.service runs: systemctl status microshift',
    cause,
  });
}

/**
 * Converts an answer of kind Status to an AgentError. `doing` names the purpose of the request, such as `patch
 * daemonsets`; it completes "may not" and "refused to" in messages.
 */
export function statusError(access: Access, httpStatus: number, body: unknown, doing: string): AgentError {
  const text =
    String(fieldAt(body, 'message') ?? (typeof body === 'string' ? body.trim().slice(0, 500) : '')) ||
    `HTTP ${httpStatus}`;
  const causes = listAt(body, 'details', 'causes');
  const facts = { httpStatus, reason: String(fieldAt(body, 'reason') ?? '') };
  const conflicts = causes.filter((cause) => fieldAt(cause, 'reason') === 'FieldManagerConflict');
  if (conflicts.length > 0) return conflictError(doing, conflicts);
  if (causes.some((cause) => fieldAt(cause, 'reason') === 'NamespaceTerminating')) {
    return new AgentError('cluster-not-ready', `cannot ${doing}: its namespace is being removed`, {
      hint: 'wait until the namespace is gone, or look for a finalizer that keeps it: kubectl get namespace -o yaml',
      facts: { ...facts, terminating: true },
    });
  }
  if (httpStatus === 401) return unauthorized(access, text);
  if (httpStatus === 403) {
    return new AgentError('cluster-refused', `the user of ${access.path} may not ${doing}: ${text}`, {
      hint: 'use the kubeconfig of a cluster administrator',
      facts,
    });
  }
  const isPassing = passingStatus.has(httpStatus) || (httpStatus === 409 && conflicts.length === 0);
  return new AgentError(
    isPassing ? 'cluster-not-ready' : 'cluster-refused',
    `the API server refused to ${doing}: ${text}`,
    {
      hint: isPassing
        ? 'try again in a moment'
        : 'this cluster does not take these objects; compare its version with docs/use/manifests.md',
      facts,
    },
  );
}

/** Converts an answer to an AgentError, which includes the delay that the server requests (Retry-After). */
export function refusal(access: Access, { status, body, retryAfterMs }: Answer, doing: string): AgentError {
  return withFacts(statusError(access, status, body, doing), { retryAfterMs });
}

/** Returns the delay, in ms, that the server has requested with this error; null if it has requested none. */
export function retryAfterMsIn({ facts }: AgentError): number | null {
  return typeof facts.retryAfterMs === 'number' ? facts.retryAfterMs : null;
}

/** Returns true for errors that disappear by themselves while a cluster starts. */
export function isPassing(error: AgentError): boolean {
  const kinds: readonly ErrorKind[] = ['kubeconfig-missing', 'cluster-unreachable', 'cluster-not-ready'];
  return kinds.includes(error.kind) && errorTable[error.kind].retryable && error.facts.terminating !== true;
}

/**
 * Returns the error that lists each conflicting field with the manager that owns it. The server's causes have the form
 * `conflict with "kubectl" using apps/v1`.
 */
function conflictError(doing: string, conflicts: readonly unknown[]): AgentError {
  const owned = conflicts.map((conflict) => {
    const owner = /conflict with "([^"]*)"/.exec(String(fieldAt(conflict, 'message')))?.[1] ?? 'another manager';
    return { owner, field: String(fieldAt(conflict, 'field') ?? '').replace(/^\./, '') };
  });
  const owners = [...new Set(owned.map(({ owner }) => owner))];
  const list = owned.map(({ owner, field }) => `${field} (${owner})`).join(', ');
  return new AgentError('apply-conflict', `cannot ${doing}: ${owners.join(' and ')} set the same fields: ${list}`, {
    hint: 'see what differs with manifests diff; take the fields over with --force-conflicts',
    facts: { owners, fields: owned.map(({ field }) => field) },
  });
}

function unauthorized(access: Access, text: string): AgentError {
  const expired = expiryOf(access.options.cert);
  const why = expired === null ? text : `its client certificate expired on ${expired}`;
  return new AgentError('cluster-refused', `the API server does not accept the credentials of ${access.path}: ${why}`, {
    hint:
      expired === null
        ? 'use a kubeconfig of this cluster'
        : 'check the clock of this node, then restart microshift.service so that it renews its certificates',
    facts: { httpStatus: 401 },
  });
}

function expiryOf(certificate: Access['options']['cert']): string | null {
  if (typeof certificate !== 'string' && !Buffer.isBuffer(certificate)) return null;
  const { validTo } = new X509Certificate(certificate);
  return new Date(validTo).getTime() < Date.now() ? validTo : null;
}
