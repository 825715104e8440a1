import { readUnsubscription } from "#events/unsubscribe.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { DashboardError } from "./dashboard-error.ts";
import { json, type RequestContext, readJson, requireMember } from "./request-context.ts";
import type { NotificationsView, UnsubscribedView } from "./shapes.ts";

/** The balance below which the owner gets an email, and which emails are sent. */
export async function showNotifications(context: RequestContext): Promise<Response> {
  const { account, status } = await requireMember(context);
  const { emails } = await context.deps.events.choice({ account });
  const view: NotificationsView = { lowBalance: status.lowBalance, emails };
  return json(view);
}

export async function chooseNotifications(context: RequestContext): Promise<Response> {
  const { deps, now } = context;
  const { account, status } = await requireMember(context);
  const { lowBalance, emails } = await readChoice(context);
  // Both steps may be repeated, so a retry completes a request that failed in between. Setting the same balance again
  // would send its notification again.
  if (lowBalance !== status.lowBalance)
    await deps.accountDeps.ledger.setLowBalance({ account, lowBalance, now });
  await deps.events.choose({ account, choice: { emails } });
  const view: NotificationsView = { lowBalance, emails };
  return json(view);
}

async function readChoice(context: RequestContext): Promise<NotificationsView> {
  const { lowBalance, emails } = await readJson(context);
  if (!isWhole(lowBalance) || lowBalance < 0 || lowBalance > GRANT_CREDITS_MAX) {
    throw new DashboardError(
      "invalid_request",
      `Enter a whole number of credits from 0 (only when they are used up) to ${GRANT_CREDITS_MAX.toLocaleString("en")}.`,
    );
  }
  const { low, expiring } = (emails ?? {}) as Record<string, unknown>;
  if (typeof low !== "boolean" || typeof expiring !== "boolean") {
    throw new DashboardError(
      "invalid_request",
      "`emails.low` and `emails.expiring` must each be true or false.",
    );
  }
  return { lowBalance, emails: { low, expiring } };
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

/**
 * A user follows the link in an email, or their mail program unsubscribes by itself (RFC 8058). No session and no origin
 * is needed, because the token says whose emails of which kind end. Repeating it changes nothing.
 */
export async function unsubscribe(context: RequestContext): Promise<Response> {
  const { deps, url } = context;
  const token = url.searchParams.get("token") ?? "";
  const found = readUnsubscription(token, deps.accountDeps.secrets);
  if (found === null) {
    throw new DashboardError(
      "invalid_request",
      "This link is incomplete or no longer valid. Sign in and choose your emails under Settings, Notifications.",
    );
  }
  const { account, topic } = found;
  // A closed account gets no emails, and nothing is stored for it.
  const address = await deps.accountDeps.directory.findByAccount({ account });
  if (address !== null) await deps.events.unsubscribe({ account, topic });
  const view: UnsubscribedView = { emails: topic };
  return json(view);
}

/** Opening the link changes nothing, because mail scanners open links too: it leads to a page with a button. */
export async function openUnsubscribe({ deps, url }: RequestContext): Promise<Response> {
  const headers = { Location: `${deps.settings.publicUrl}/unsubscribe${url.search}` };
  return new Response(null, { status: 303, headers });
}
