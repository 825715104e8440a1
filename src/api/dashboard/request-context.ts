import { AccountError, closeAccount } from "#accounts/accounts.ts";
import type { EventKind } from "#accounts/activity-log.ts";
import type { SignedIn } from "#accounts/auth-options.ts";
import { type Activity, EMAIL_DROPPED } from "#accounts/record-activity.ts";
import type { RequestCounts } from "#accounts/request-counts.ts";
import type { AccountStatus } from "#ledger/port.ts";
import type { Throttle } from "#ledger/throttle.ts";
import { signUpNetworkOf } from "#networks.ts";
import type { DashboardDeps } from "./dashboard-deps.ts";
import { DashboardError } from "./dashboard-error.ts";

/** What a dashboard handler knows about its request. */
export type RequestContext = {
  deps: DashboardDeps;
  /** HEAD is a GET here. */
  request: Request;
  isHead: boolean;
  url: URL;
  /** The path parameters `:id` and `:delivery`; empty if the route has none. */
  id: string;
  delivery: string;
  requestId: string;
  /** The network address of the client; null if the runtime does not know it. */
  peer: string | null;
  now: number;
  /** Cookies to set, also on errors. */
  cookies: string[];
  /** Counts of codes, tries and emails. */
  counts: RequestCounts;
  /** How often the payment provider is asked about a purchase. */
  looks: Throttle;
  /** The accounts whose keys are being created in this app, each until the last of them is. */
  keyTurns: Map<string, Promise<void>>;
};

export type DashboardHandler = (context: RequestContext) => Promise<Response>;

export type DashboardMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Handlers by path (as Hono writes it) and method. Any other method on one of these paths is 405. */
export type DashboardRoutes = Readonly<
  Record<string, Partial<Record<DashboardMethod, DashboardHandler>>>
>;

/** A signed-in user with an account. */
export type Member = Owner & {
  status: AccountStatus & { state: Exclude<AccountStatus["state"], "closed"> };
};
type Owner = SignedIn & { account: string };

/** The pages send labels, addresses and the responses of passkeys, which are far smaller. */
const BODY_CHARS_MAX = 16 * 1024;

export async function readJson(context: RequestContext): Promise<Record<string, unknown>> {
  const text = await context.request.text();
  if (text.length > BODY_CHARS_MAX)
    throw new DashboardError(
      "invalid_request",
      `The body exceeds ${BODY_CHARS_MAX} characters. Send a smaller body.`,
    );
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Reported below.
  }
  throw new DashboardError("invalid_request", "The body must be a JSON object.");
}

export async function findSignedIn(context: RequestContext): Promise<SignedIn | null> {
  const { signedIn, cookies } = await context.deps.auth.signedIn(context.request.headers);
  context.cookies.push(...cookies);
  return signedIn;
}

/**
 * The signed-in user, with an account. Also finishes creating or closing an account if an earlier request was interrupted. Throws
 * `signed_out`.
 */
export async function requireMember(context: RequestContext): Promise<Member> {
  return requireOpen(context, await requireOwner(context));
}

/**
 * Like `requireMember`, with reads that begin as soon as the account is known, while the ledger is asked for its state: at the edge each is
 * a round trip. What is wrong with the member is thrown before an error of the reads.
 */
export async function readAsMember<Read>(
  context: RequestContext,
  read: (owner: Owner) => Promise<Read>,
  requireState = (member: Member): Member => member,
): Promise<[member: Member, read: Read]> {
  const owner = await requireOwner(context);
  const reading = read(owner);
  reading.catch(() => {});
  return [requireState(await requireOpen(context, owner)), await reading];
}

async function requireOwner(context: RequestContext): Promise<Owner> {
  const signedIn = await findSignedIn(context);
  if (signedIn === null) throw signedOut();
  return ownerOf(context, signedIn);
}

/** With the id of an account, which may be closed. */
export async function ownerOf(context: RequestContext, signedIn: SignedIn): Promise<Owner> {
  const { user } = signedIn;
  const account =
    user.account ??
    (await context.deps.auth.linkAccount({ ...user, network: signUpNetworkOf(context.peer) }));
  return { ...signedIn, account };
}

async function requireOpen(context: RequestContext, owner: Owner): Promise<Member> {
  const member = await findMember(context, owner);
  if (member === null) throw signedOut();
  return member;
}

/** Null if the account is closed; its closing is then finished. */
export async function findMember(context: RequestContext, owner: Owner): Promise<Member | null> {
  const { deps, now } = context;
  const { account, user } = owner;
  const status = await deps.accountDeps.ledger.findAccount({ account, now });
  if (status === null) throw new Error(`The ledger has no account ${account}`);
  const { state } = status;
  if (state !== "closed") return { ...owner, status: { ...status, state } };
  await finishClosing(context, user.email);
  return null;
}

/**
 * Closes the account, even if it is half closed or another request is closing it. The request that deletes the address emails the owner,
 * once, also where another one began to close the account and was interrupted.
 */
export async function finishClosing(context: RequestContext, email: string): Promise<void> {
  const { deps, now } = context;
  const closed = await closeAccount(deps.accountDeps, email, now).catch((error) => {
    if (error instanceof AccountError) return null;
    throw error;
  });
  if (closed?.isForgotten === true) await notify(context, deps.emails.accountClosed(email));
}

/** Like `requireMember`, but throws `account_suspended` if the account is suspended. */
export const requireActiveMember = async (context: RequestContext): Promise<Member> =>
  requireActive(await requireMember(context));

/** Like `readAsMember`, but throws `account_suspended` if the account is suspended. */
export const readAsActiveMember = <Read>(
  context: RequestContext,
  read: (owner: Owner) => Promise<Read>,
): Promise<[member: Member, read: Read]> => readAsMember(context, read, requireActive);

const requireActive = (member: Member): Member =>
  requireNotSuspended(member, "This account is suspended. Contact the operator of this service.");

export function requireNotSuspended(member: Member, detail: string): Member {
  if (member.status.state === "suspended") throw new DashboardError("account_suspended", detail);
  return member;
}

const signedOut = () => new DashboardError("signed_out", "You are signed out. Sign in again.");

type Session = { id: string; token: string };

/** The user's sessions, also those that have expired. */
export async function listAllSessions(
  { deps }: RequestContext,
  user: string,
): Promise<readonly Session[]> {
  const { internalAdapter } = await deps.auth.context();
  return internalAdapter.listSessions(user);
}

/** Ends those of the sessions whose ids `isEnding` accepts. Returns how many there were. */
export async function endSessions(
  { deps }: RequestContext,
  sessions: readonly Session[],
  isEnding: (session: string) => boolean,
): Promise<number> {
  const { internalAdapter } = await deps.auth.context();
  const ending = sessions.filter(({ id }) => isEnding(id));
  if (ending.length > 0) await internalAdapter.deleteSessions(ending.map(({ token }) => token));
  return ending.length;
}

export const json = (body: object, status = 200): Response => Response.json(body, { status });

/**
 * Adds to the user's activity list, with the email about it to their address (`accounts/security-emails.ts`). A failure is logged and not
 * thrown, because the reported action has already happened.
 */
export async function recordEvent(
  { deps, peer, now, request, requestId }: RequestContext,
  { id, email }: Pick<SignedIn["user"], "id" | "email">,
  kind: EventKind,
  detail: string | null,
  more: Pick<Activity, "facts" | "alsoEmails"> = {},
): Promise<void> {
  const userAgent = request.headers.get("user-agent");
  const activity = { user: id, email, at: now, kind, detail, address: peer, userAgent, ...more };
  await deps.recordActivity(activity).then(
    ({ emailed }) => {
      if (emailed === "queue_full") deps.logError(EMAIL_DROPPED, { requestId });
    },
    (cause) => deps.logError("An account event was not recorded", { requestId, cause }),
  );
}

/**
 * Waits until an email is queued. A failure is logged and not thrown, because the reported action has already happened.
 */
export async function notify(
  { deps, requestId }: RequestContext,
  email: Promise<unknown>,
): Promise<void> {
  await email.catch((cause) => deps.logError("An email was not queued", { requestId, cause }));
}
