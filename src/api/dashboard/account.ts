import type { SignedIn } from "#accounts/auth-options.ts";
import { salesOf } from "#billing/price-list.ts";
import { levelOf } from "#ledger/events.ts";
import { createPlaceHider } from "#seal.ts";
import type { DashboardDeps } from "./dashboard-deps.ts";
import { DashboardError, retryAfter } from "./dashboard-error.ts";
import { requireFreshProof } from "./fresh-proof.ts";
import {
  endSessions,
  findMember,
  findSignedIn,
  finishClosing,
  json,
  listAllSessions,
  type Member,
  ownerOf,
  type RequestContext,
  readAsMember,
  readJson,
  recordEvent,
  requireMember,
  requireNotSuspended,
} from "./request-context.ts";
import type { EventsView, Provider, SessionView, UserView, Visitor } from "./shapes.ts";

const EVENTS_A_PAGE = 30;

export async function showVisitor(context: RequestContext): Promise<Response> {
  const { settings, sales } = context.deps;
  const signedIn = await findSignedIn(context);
  const view: Visitor = {
    user: signedIn === null ? null : await viewUser(context, signedIn),
    signUp: settings.signUp,
    providers: [...settings.providers],
    starter: settings.starter,
    hasFreeCall: settings.hasFreeCall,
    apiUrl: settings.publicUrl,
    passkeyOrigin: context.deps.auth.passkeyPlace?.origin ?? null,
    emailsStayHere: settings.emailsStayHere,
    requestLog: context.deps.requests !== null,
    sales: salesOf(sales.prices, sales.billing !== null, sales.contact),
  };
  return json(view);
}

/** Null if the account is closed. */
async function viewUser(context: RequestContext, signedIn: SignedIn): Promise<UserView | null> {
  const { deps } = context;
  const { user } = signedIn;
  const { internalAdapter } = await deps.auth.context();
  const reading = internalAdapter.findAccounts(user.id);
  reading.catch(() => {});
  const member = await findMember(context, await ownerOf(context, signedIn));
  if (member === null) return null;
  const names = (await reading).map(({ providerId }) => providerId);
  return {
    email: user.email,
    createdAt: user.createdAt,
    account: viewAccount(member.status, deps.settings),
    requiresPasskey: user.requiresPasskey,
    providers: deps.settings.providers.filter((name: Provider) => names.includes(name)),
  };
}

function viewAccount(
  status: Member["status"],
  { hasFreeCall }: Pick<DashboardDeps["settings"], "hasFreeCall">,
): UserView["account"] {
  const { account: id, state, balance, lowBalance, freeCall, prices } = status;
  // If the first call is free, an account that has not made it can call without credits.
  const isFree = hasFreeCall && freeCall === "open";
  const level = isFree && balance === 0 ? "enough" : levelOf(balance, lowBalance);
  return { id, state, balance, level, prices };
}

export async function listSessions(context: RequestContext): Promise<Response> {
  const { internalAdapter } = await context.deps.auth.context();
  const [{ session }, found] = await readAsMember(context, ({ user }) =>
    internalAdapter.listSessions(user.id, { onlyActiveSessions: true }),
  );
  const sessions: SessionView[] = found
    .map(({ id, createdAt, updatedAt, ipAddress, userAgent }) => ({
      id,
      current: id === session.id,
      createdAt: createdAt.getTime(),
      lastSeenAt: updatedAt.getTime(),
      address: ipAddress || null,
      userAgent: userAgent || null,
    }))
    .sort((a, b) => Number(b.current) - Number(a.current) || b.lastSeenAt - a.lastSeenAt);
  return json({ sessions });
}

/** Ends one session, or all `others`. */
export async function endSession(context: RequestContext): Promise<Response> {
  const { id } = context;
  const [member, sessions] = await readAsMember(context, ({ user }) =>
    listAllSessions(context, user.id),
  );
  const ended = await endSessions(context, sessions, (each) =>
    id === "others" ? each !== member.session.id : each === id,
  );
  if (ended === 0 && id !== "others") {
    throw new DashboardError("not_found", "This session has already ended.");
  }
  if (ended > 0) await recordEvent(context, member.user, "session_ended", null);
  return json({});
}

/** The numbers of events count those of all users, and comparing two of one's own would tell how much the others do. */
export async function listEvents(context: RequestContext): Promise<Response> {
  const places = createPlaceHider(context.deps.accountDeps.secrets, "activity log");
  const hide = (no: string) => places.hide({ no: Number(no), index: 0 });
  const place = places.reveal(context.url.searchParams.get("after") ?? "");
  const after = place && String(place.no);
  const [, { events, next }] = await readAsMember(context, ({ user }) =>
    context.deps.activityLog.listEvents({ user: user.id, after, max: EVENTS_A_PAGE }),
  );
  const view: EventsView = {
    events: events.map((event) => ({ ...event, id: hide(event.id) })),
    next: next && hide(next),
  };
  return json(view);
}

/** Closes the account after the user has entered its email address. */
export async function closeMyAccount(context: RequestContext): Promise<Response> {
  const member = requireNotSuspended(
    await requireMember(context),
    // Otherwise the owner could close the suspended account and sign up again.
    "This account is suspended, so you cannot close it. Contact the operator of this service.",
  );
  const { user } = member;
  const { email } = await readJson(context);
  if (typeof email !== "string" || email.trim().toLowerCase() !== user.email) {
    throw new DashboardError("invalid_request", "Enter the email address of this account.");
  }
  requireFreshProof(context, member);
  await requireNoUndo(context, user.id);
  await finishClosing(context, user.email);
  return json({});
}

/** Otherwise a thief could close the account, and an undo would give nothing back. */
async function requireNoUndo({ deps, now }: RequestContext, user: string): Promise<void> {
  const { until } = await deps.activityLog.undoableUntil({ user, at: now });
  if (until === null) return;
  const from = new Date(until).toISOString().slice(0, 16).replace("T", " ");
  throw new DashboardError(
    "address_changed",
    `The email address of this account was changed recently, and the old address can undo that until ${from} UTC. You can close the account after that, or undo the change and close it then.`,
    retryAfter(until - now),
  );
}
