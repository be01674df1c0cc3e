/** Codes of an error result (CNI specification 1.1, "Error"); from 100 on they are the plug-in's own. */
export const cniCode = {
  incompatibleVersion: 1,
  unsupportedField: 2,
  unknownContainer: 3,
  badEnvironment: 4,
  io: 5,
  undecodable: 6,
  badConfig: 7,
  tryAgainLater: 11,
  notAvailable: 50,
  limitedConnectivity: 51,
  /** The pod is not as its network wants it. */
  notAsWanted: 100,
  /** The kernel, Open vSwitch or OVN refused something. */
  refused: 101,
} as const;

/** What the container runtime is told, in the words of the specification; who throws it has undone what it did. */
export class CniError extends Error {
  readonly code: number;
  /** What to do about it, or more about why. */
  readonly details: string | undefined;

  constructor(code: number, message: string, details?: string) {
    super(message);
    this.name = 'CniError';
    this.code = code;
    this.details = details;
  }
}

/** An error result. */
export function errorResult(cniVersion: string, { code, message, details }: CniError): string {
  return JSON.stringify({ cniVersion, code, msg: message, ...(details !== undefined && { details }) });
}
