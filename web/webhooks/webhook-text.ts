import type { DeliveryView, EndpointView, LedgerEventKind } from "#api/dashboard/shapes.ts";
import type { StateLabel } from "../parts/tone.ts";

/** The label of each event type, in the order of the form. */
export const EVENT_LABELS: Record<LedgerEventKind, string> = {
  "credits.low": "Low balance",
  "credits.depleted": "No credits left",
  "credits.granted": "Credits added",
  "credits.expiring": "Credits expiring in 30 or 7 days",
  "key.created": "API key created",
  "key.revoked": "API key revoked",
};
export const KINDS = Object.keys(EVENT_LABELS) as LedgerEventKind[];

/** What went wrong at the last failed attempt, as a sentence. */
export const failureText = ({
  lastStatus,
  lastError,
}: NonNullable<EndpointView["lastFailure"]>): string =>
  lastError ?? (lastStatus === null ? "There was no response." : `The status was ${lastStatus}.`);

export function deliveryState({ status, tries }: DeliveryView): StateLabel {
  if (status === "delivered") return { title: "Delivered", shape: "check", tone: "ok" };
  if (status === "failed") return { title: "Failed", shape: "cross", tone: "bad" };
  return tries === 0
    ? { title: "Waiting", shape: "empty", tone: "soft" }
    : { title: "Retrying", shape: "clock", tone: "warn" };
}

/** The outcome of the last attempt. */
export function responseText({ status, lastStatus, lastError, tries }: DeliveryView): string {
  if (tries === 0) return status === "waiting" ? "Not sent yet" : "Not sent";
  if (lastStatus !== null) return `Status ${lastStatus}`;
  return lastError === null ? "No response" : "Unreachable";
}

/** Pretty-prints a JSON body; returns anything else unchanged. */
export function bodyText(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
