/** Codes of an error result (CNI specification 1.1, "Error"); codes from 100 on are specific to a plug-in. */
export const cniCode = {
  incompatibleVersion: 1,
  badEnvironment: 4,
  undecodable: 6,
  badConfig: 7,
  tryAgainLater: 11,
  notAvailable: 50,
  limitedConnectivity: 51,
  /** The pod's interface differs from its desired state. */
  notAsWanted: 100,
  /** The kernel, Open vSwitch or OVN refused a change. */
  refused: 101,
} as const;

/**
 * Error that is returned to the container runtime, in the terms of the CNI specification. A function that throws this
 * error has rolled back its changes.
 */
export class CniError extends Error {
  readonly code: number;
  /** Remedy, or a more detailed reason. */
  readonly details: string | undefined;

  constructor(code: number, message: string, details?: string) {
    super(message);
    this.name = 'CniError';
    this.code = code;
    this.details = details;
  }
}

/** Returns an error result. */
export function errorResult(cniVersion: string, { code, message, details }: CniError): string {
  return JSON.stringify({ cniVersion, code, msg: message, ...(details !== undefined && { details }) });
}
