import type { SignedIn } from "#accounts/auth-options.ts";
import type { EventKind } from "#accounts/journal.ts";
import { AccountError, closeAccount } from "#accounts/people.ts";
import type { AccountStatus } from "#ledger/port.ts";
import type { DashboardDeps } from "./dashboard-deps.ts";
import { DashboardError } from "./dashboard-error.ts";

/** One request of the pages, as its handler sees it. */
export type RequestContext = {
  deps: DashboardDeps;
  request: Request;
  url: URL;
  /** What stands in the path where the route has `:id`. */
  id: string;
  /** The same of `:delivery`. */
  delivery: string;
  requestId: string;
  /** The network address of the client, as far as it is known. */
  peer: string | null;
  now: number;
  /** Cookies that the answer sets. */
  cookies: string[];
};

/** Whoever is signed in, with an account. */
export type Member = SignedIn & { account: string; status: AccountStatus };

/** Bodies of the pages are a label or a password: far smaller. */
const BODY_CHARS_MAX = 16 * 1024;

export async function readJson(context: RequestContext): Promise<Record<string, unknown>> {
  const text = await context.request.text();
  if (text.length > BODY_CHARS_MAX)
    throw new DashboardError("invalid_request", "That is too long.");
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Told below.
  }
  throw new DashboardError("invalid_request", "The request is not a JSON object.");
}

export async function findSignedIn(context: RequestContext): Promise<SignedIn | null> {
  const { signedIn, cookies } = await context.deps.auth.signedIn(context.request.headers);
  context.cookies.push(...cookies);
  return signedIn;
}

/** Signed in with a verified address and an account; what was broken off when that account was made or closed is done. */
export async function requireMember(context: RequestContext): Promise<Member> {
  const { deps, now } = context;
  const signedIn = await findSignedIn(context);
  if (signedIn === null) throw signedOut();
  const { person } = signedIn;
  if (!person.verified) {
    throw new DashboardError(
      "email_not_verified",
      "Confirm your e-mail address first: the link is in the letter that we sent you.",
    );
  }
  const account = person.account ?? (await deps.auth.linkAccount(person));
  const status = await deps.accountDeps.ledger.findAccount({ account, now });
  if (status === null) throw new Error(`The ledger has no account ${account}`);
  if (status.state === "closed") {
    await finishClosing(context, person.email);
    throw signedOut();
  }
  return { ...signedIn, account, status };
}

/** Closes an account for good; also where that was broken off half-way, or somebody else does it at the same time. */
export async function finishClosing({ deps, now }: RequestContext, email: string): Promise<void> {
  await closeAccount(deps.accountDeps, email, now).catch((error) => {
    if (!(error instanceof AccountError)) throw error;
  });
}

/** A member whose account is not suspended. */
export const requireActiveMember = async (context: RequestContext): Promise<Member> =>
  requireNotSuspended(
    await requireMember(context),
    "This account is suspended. Ask the people who run this service.",
  );

export function requireNotSuspended(member: Member, detail: string): Member {
  if (member.status.state === "suspended") throw new DashboardError("account_suspended", detail);
  return member;
}

const signedOut = () => new DashboardError("signed_out", "You are signed out. Sign in again.");

export const json = (body: object, status = 200): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json" },
  });

/** For the person to see. Like a letter, it tells of what was done already. */
export async function note(
  { deps, peer, now, requestId }: RequestContext,
  person: string,
  kind: EventKind,
  detail: string | null,
): Promise<void> {
  await deps.journal
    .recordEvent({ person, at: now, kind, detail, address: peer })
    .catch((cause) => deps.logError("An event could not be noted", { requestId, cause }));
}

/** A letter tells of what was done already: where it cannot be posted, that is a fault of ours and not of the request. */
export async function tell(context: RequestContext, message: Promise<unknown>): Promise<void> {
  await message.catch((cause) =>
    context.deps.logError("A letter could not be posted", { requestId: context.requestId, cause }),
  );
}
