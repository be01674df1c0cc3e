import type { ProfileSettings } from '../model/settings.ts';

/*
 * Links that carry nothing for a while after they came up. Whoever answered before gets this much longer to answer again.
 */

/** LACP agrees within seconds at either rate; a switch that waits out its slow timer first takes 30 s more (IEEE 802.1AX: 3 × 30 s at worst). */
const lacpMs = 40_000;
/** Listening and learning take one forward delay each (IEEE 802.1D); the default of the kernel and of NetworkManager is 15 s. */
const defaultForwardDelaySeconds = 15;
/** After the last state change, as after any other move. */
const margin = 5_000;

/** How long an uplink with these settings may take until it carries traffic, in ms; 0: at once. */
export function settlingMs(settings: ProfileSettings): number {
  if (usesLacp(settings)) return lacpMs;
  const { bridge } = settings;
  if (bridge === undefined || bridge.stp?.[1] === false) return 0;
  const delaySeconds = Number(bridge['forward-delay']?.[1] ?? defaultForwardDelaySeconds);
  return 2 * delaySeconds * 1000 + margin;
}

/** True for a bond or team that negotiates with the switch. */
export function usesLacp(settings: ProfileSettings): boolean {
  const options = (settings.bond?.options?.[1] ?? {}) as Readonly<Record<string, string>>;
  if (['802.3ad', '4'].includes(options.mode ?? '')) return true;
  return /"name"\s*:\s*"lacp"/.test(String(settings.team?.config?.[1] ?? ''));
}
