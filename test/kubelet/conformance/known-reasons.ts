// Why tests of Kubernetes do not pass here, as far as it is known. The page takes the first that matches.

/** `refused`: an Event reports it. `impossible`: something that is missing and no part of this project. `failed`: a defect. */
export type Verdict = 'refused' | 'impossible' | 'failed';

export interface Reason {
  readonly verdict: Verdict;
  /** What the names of the tests match. */
  readonly test: RegExp;
  readonly why: string;
}

export const reasons: readonly Reason[] = [
  {
    verdict: 'refused',
    test: /HostPort validates that there is no conflict/,
    why: '`hostPort` is not served: the Event of each pod is `HostPortNotServed` ([overlay-services.md](overlay-services.md), Not served)',
  },
  {
    verdict: 'impossible',
    test: /\[Feature:SCTPConnectivity\]/,
    why: "the kernel of the machine has no SCTP, so the test's own server cannot listen",
  },
];
