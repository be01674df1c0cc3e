/**
 * Time limit for a job of systemd, in ms; the job continues after the limit. The limit is shorter than Open vSwitch's
 * own TimeoutSec of 300 s, because the installation of a package looks hung if its scriptlet waits that long.
 */
export const unitJobMs = 90_000;
