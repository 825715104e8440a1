import { readUnsubscription } from "#events/notification-emails.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { DashboardError } from "./dashboard-error.ts";
import {
  json,
  type RequestContext,
  readAsMember,
  readJson,
  requireMember,
} from "./request-context.ts";
import type { NotificationsView, UnsubscribedView } from "./shapes.ts";

/** The balance below which the owner gets an email, and which emails are sent. */
export async function showNotifications(context: RequestContext): Promise<Response> {
  const [{ status }, { emails }] = await readAsMember(context, ({ account }) =>
    context.deps.events.choice({ account }),
  );
  const view: NotificationsView = { lowBalance: status.lowBalance, emails };
  return json(view);
}

export async function chooseNotifications(context: RequestContext): Promise<Response> {
  const { deps, now } = context;
  const { account, status } = await requireMember(context);
  const { lowBalance, emails } = await readChoice(context);
  // Both steps are idempotent, so a retry completes a request of which one failed. The balance is set only if it
  // changes, because setting it again would send its notification again.
  await Promise.all([
    lowBalance !== status.lowBalance &&
      deps.accountDeps.ledger.changeAccount({ account, lowBalance, now }),
    deps.events.choose({ account, choice: { emails } }),
  ]);
  const view: NotificationsView = { lowBalance, emails };
  return json(view);
}

async function readChoice(context: RequestContext): Promise<NotificationsView> {
  const { lowBalance, emails } = await readJson(context);
  if (!isWhole(lowBalance) || lowBalance < 0 || lowBalance > GRANT_CREDITS_MAX) {
    throw new DashboardError(
      "invalid_request",
      `Enter a whole number of credits from 0 (alert only when none are left) to ${GRANT_CREDITS_MAX.toLocaleString("en")}.`,
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
 * A user follows the link in an email, or their mail program unsubscribes automatically (RFC 8058). The token
 * identifies the account and the kind of emails, so no session or origin is needed. Repeating the request changes
 * nothing.
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

/** Mail scanners open links too, so opening the link changes nothing and leads to a page with a button. */
export async function openUnsubscribe({ deps, url }: RequestContext): Promise<Response> {
  const headers = { Location: `${deps.settings.publicUrl}/unsubscribe${url.search}` };
  return new Response(null, { status: 303, headers });
}
