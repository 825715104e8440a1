/** Names a browser in words. The emails, the activity log and the list of sessions share it. */

/** In the order of matching: each browser's user agent also contains the names of those below it. */
const BROWSERS: [string, RegExp][] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS)\//],
  ["Safari", /\bVersion\/[\d.]+.*\bSafari\//],
];
const SYSTEMS: [string, RegExp][] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** Longer texts are cut; a name from the tables has at most 31 characters. */
const NAME_CHARS_MAX = 60;

/**
 * The same for an email that anyone can cause: null for a user agent that is in no table, because its text would be a message of the
 * sender.
 */
export const knownBrowserName = (userAgent: string | null): string | null =>
  [...BROWSERS, ...SYSTEMS].some(([, pattern]) => pattern.test(userAgent ?? ""))
    ? browserName(userAgent)
    : null;

/** Returns a short name for a user agent, such as `Firefox on Linux`; null if there is none. */
export function browserName(userAgent: string | null): string | null {
  if (userAgent === null || userAgent.trim() === "") return null;
  const find = (table: [string, RegExp][]) =>
    table.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = find(BROWSERS);
  const system = find(SYSTEMS);
  if (browser === undefined && system === undefined) return userAgent.slice(0, NAME_CHARS_MAX);
  return [browser ?? "Browser", system].filter(Boolean).join(" on ");
}
