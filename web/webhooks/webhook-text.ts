import type { DeliveryView, LedgerEventKind } from "#api/dashboard/shapes.ts";
import type { Shape, Tone } from "../parts/tone.ts";

/** What each kind tells of, in the order in which they are offered. */
export const KIND_WORDS: Record<LedgerEventKind, string> = {
  "credits.low": "The balance is low",
  "credits.depleted": "No credits are left",
  "credits.granted": "Credits were added",
  "credits.expiring": "Credits expire in 30 or 7 days",
  "key.created": "An API key was made",
  "key.revoked": "An API key was revoked",
};
export const KINDS = Object.keys(KIND_WORDS) as LedgerEventKind[];

type Told = { title: string; shape: Shape; tone: Tone };
export function deliveryState({ status, tries }: DeliveryView): Told {
  if (status === "delivered") return { title: "Delivered", shape: "check", tone: "ok" };
  if (status === "failed") return { title: "Failed", shape: "cross", tone: "bad" };
  return tries === 0
    ? { title: "Waiting", shape: "empty", tone: "soft" }
    : { title: "Trying again", shape: "clock", tone: "warn" };
}

/** What the last try brought. */
export function responseText({ lastStatus, lastError, tries }: DeliveryView): string {
  if (tries === 0) return "Not tried yet";
  if (lastStatus !== null) return `Answered ${lastStatus}`;
  return lastError === null ? "No answer" : "Not reached";
}

/** The body as a person reads it; as it is where it is no JSON. */
export function bodyText(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
