import { readUnsubscription } from "#events/unsubscribe.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { DashboardError } from "./dashboard-error.ts";
import { json, type RequestContext, readJson, requireMember } from "./request-context.ts";
import type { NotificationsView, UnsubscribedView } from "./shapes.ts";

/** Below which balance an owner is told, and by which letters. */
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
  // Each may be asked for again: what is not reached the first time is at the second. Where the number stays, so does what
  // is to be told of it.
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
      `Give a whole number of credits from 0 (not until they are used up) to ${GRANT_CREDITS_MAX.toLocaleString("en")}.`,
    );
  }
  const { low, expiring } = (emails ?? {}) as Record<string, unknown>;
  if (typeof low !== "boolean" || typeof expiring !== "boolean") {
    throw new DashboardError(
      "invalid_request",
      "Say of each topic of letters whether it is wanted.",
    );
  }
  return { lowBalance, emails: { low, expiring } };
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

/**
 * A link of a letter, or the mail program of its reader by itself (RFC 8058): without a sign-in, and from wherever it comes,
 * for the token says whose letters of which topic end. Once more changes nothing.
 */
export async function unsubscribe(context: RequestContext): Promise<Response> {
  const { deps, url } = context;
  const token = url.searchParams.get("token") ?? "";
  const found = readUnsubscription(token, deps.accountDeps.secrets);
  if (found === null) {
    throw new DashboardError(
      "invalid_request",
      "This link is not complete, or no longer good. Sign in: under Settings, Notices you choose which letters you get.",
    );
  }
  const { account, topic } = found;
  // Where the account is closed nothing is kept of it, and no letter comes.
  const address = await deps.accountDeps.directory.findByAccount({ account });
  if (address !== null) await deps.events.unsubscribe({ account, topic });
  const view: UnsubscribedView = { emails: topic };
  return json(view);
}

/** A mail program that knows no such POST opens the address: that alone ends nothing, for programs look into links too. */
export async function openUnsubscribe({ deps, url }: RequestContext): Promise<Response> {
  const headers = { Location: `${deps.settings.publicUrl}/unsubscribe${url.search}` };
  return new Response(null, { status: 303, headers });
}
