/**
 * Time limit for a job of systemd. Open vSwitch's own TimeoutSec is 300 s, but a scriptlet that waits that long looks
 * hung. The job continues after the limit.
 */
export const unitJobMs = 90_000;
