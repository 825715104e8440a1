import type { RequestTimes, RequestView } from "#api/dashboard/shapes.ts";
import { counted } from "#counted.ts";
import type { ServiceShown } from "#site/app-shell.ts";
import { curlKey, curlLines, SAMPLE_KEY_HEADER } from "#site/request-code.ts";
import { longDay, secondOf } from "../parts/numbers.ts";
import type { StateLabel } from "../parts/tone.ts";

/** How the log writes the parts of a request. */

/** `0.4 ms`, `12 ms`, `1.3 s`. */
export function duration(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `p50 4.8 · p99 212 ms`: the unit is written once if both have the same. */
export function durations(p50: number, p99: number): string {
  const [one, other] = [duration(p50), duration(p99)];
  const [value, unit] = one.split(" ");
  return other.endsWith(` ${unit}`) ? `p50 ${value} · p99 ${other}` : `p50 ${one} · p99 ${other}`;
}

/** `340 B`, `1.2 KB`, `3.4 MB`: 1 KB is 1,024 bytes. */
export function size(bytes: number | null): string {
  if (bytes === null) return "not read";
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${round(kilobytes)} KB` : `${round(kilobytes / 1024)} MB`;
}
const round = (value: number) => (value < 10 ? value.toFixed(1) : String(Math.round(value)));

/** `98.6%`, rounded to the nearest tenth. But only all are 100%, and only none are 0%. */
export function percent(part: number, all: number): string {
  if (all === 0) return "–";
  const nearest = Math.round((part / all) * 1000) / 10;
  const tenths = part === all || part === 0 ? nearest : Math.min(99.9, Math.max(0.1, nearest));
  return `${Number.isInteger(tenths) ? tenths : tenths.toFixed(1)}%`;
}

/** `21 Nov 2026, 14:30:05.123 UTC`. */
export function exactTime(at: number): string {
  const milliseconds = String(Math.floor(at) % 1000).padStart(3, "0");
  return `${longDay(at)}, ${secondOf(at)}.${milliseconds} UTC`;
}

/** The same time where the reader is, with the zone; null in UTC. */
export function localTime(at: number, timeZone?: string): string | null {
  if (timeZone === undefined && new Date(at).getTimezoneOffset() === 0) return null;
  return new Intl.DateTimeFormat("en-GB", {
    ...{ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" },
    ...{ timeZone, timeZoneName: "longGeneric" },
  } as const).format(at);
}

/** Errors of the service are red; errors that the client can correct are amber. */
export function statusLook(status: number): StateLabel {
  const title = String(status);
  if (status < 400) return { title, shape: "check", tone: "ok" };
  return { title, shape: "cross", tone: status < 500 ? "warn" : "bad" };
}

/** `Not charged`, `1 credit`, `Free: a repeat of an earlier call`. */
export function chargeText({ charged, replayed, status }: RequestView): string {
  if (replayed) return "Not charged: a repeat with the same idempotency key";
  if (charged === null) return "Not known yet";
  if (charged === 0) return status < 400 ? "Free call" : "Not charged";
  return counted(charged, "credit");
}

/** A part of the latency; `ms` are milliseconds. */
type LatencyPart = { id: "body" | "tool" | "ledger" | "other"; title: string; ms: number };

/**
 * The parts of a request's latency, in the order in which they happen. What no part accounts for is "Other". Parts that did not
 * happen are left out.
 */
export function latencyParts({ total, body, tool, ledger }: RequestTimes): LatencyPart[] {
  const parts: LatencyPart[] = [
    { id: "body", title: "Body", ms: body ?? 0 },
    { id: "tool", title: "Tool", ms: tool ?? 0 },
    { id: "ledger", title: "Ledger", ms: ledger ?? 0 },
  ];
  const known = parts.reduce((sum, { ms }) => sum + ms, 0);
  parts.push({ id: "other", title: "Other", ms: Math.max(0, total - known) });
  const happened = { body: body !== null, tool: tool !== null, ledger: ledger !== null };
  return parts.filter(({ id, ms }) => (id === "other" ? ms >= 0.05 : happened[id]));
}

/** The call again with curl. The body is not kept, so the reader puts it into a file. */
export const repeatCode = (
  { tool }: RequestView,
  apiUrl: string,
  { keyVariable, tools }: Pick<ServiceShown, "keyVariable" | "tools">,
): string =>
  curlLines(`${apiUrl}/api/v1/${tool}`, [
    `-i -H ${curlKey(null, keyVariable)}`,
    ...(tools.find(({ name }) => name === tool)?.needsKey === true
      ? [`-H "${SAMPLE_KEY_HEADER}"`]
      : []),
    '-H "Content-Type: application/json"',
    "--data-binary @body.json",
  ]);
