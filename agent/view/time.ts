/** Returns a time relative to now: `in 18 s`, `3 minutes ago`. */
export function relativeTime(atMs: number, nowMs: number): string {
  const seconds = Math.abs(atMs - nowMs) / 1000;
  const text = amount(atMs > nowMs ? Math.ceil(seconds) : Math.floor(seconds));
  return atMs > nowMs ? `in ${text}` : `${text} ago`;
}

function amount(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} minutes`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} hours`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** Returns the date and the time of a moment (ISO 8601) in the time zone of this process: `2026-11-20 22:47:19`. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clockTime(iso)}`;
}

/**
 * Returns a moment (ISO 8601) for people: `2026-11-20 22:47:19 (3 minutes ago)`. Text that is not a moment is returned
 * as it is.
 */
export function momentText(iso: string, nowMs: number): string {
  const atMs = Date.parse(iso);
  return Number.isNaN(atMs) ? iso : `${localTime(iso)} (${relativeTime(atMs, nowMs)})`;
}

/**
 * Returns a text in which every moment (ISO 8601 with a time, in UTC) is replaced by its form for people: `2026-11-20
 * 22:47:19 (3 minutes ago)`.
 */
export function withMoments(text: string, nowMs: number): string {
  return text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (iso) => momentText(iso, nowMs));
}

/** Returns the time of day of a moment (ISO 8601) in the time zone of this process: `22:47:19`. */
export function clockTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Returns a duration: `412 ms`, `2.1 s`, `3 minutes`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1_000).toFixed(1)} s` : amount(Math.round(ms / 1_000));
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
