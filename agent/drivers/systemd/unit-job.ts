/**
 * Time limit for a job of systemd, in ms; the job continues after the limit. The limit is shorter than Open vSwitch's
 * own TimeoutSec of 300 s, because a scriptlet that waits that long looks hung.
 */
export const unitJobMs = 90_000;
