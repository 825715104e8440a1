import type { SignedIn } from "#accounts/auth-options.ts";
import type { EventKind } from "#accounts/journal.ts";
import { closeAccount, DeskRefusal } from "#accounts/people.ts";
import type { AccountStatus } from "#ledger/port.ts";
import type { PeopleHouse } from "./dashboard-deps.ts";
import { PeopleFault } from "./dashboard-error.ts";

/** One request of the pages, as its handler sees it. */
export type Visit = {
  house: PeopleHouse;
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

export async function readJson(visit: Visit): Promise<Record<string, unknown>> {
  const text = await visit.request.text();
  if (text.length > BODY_CHARS_MAX) throw new PeopleFault("invalid_request", "That is too long.");
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Told below.
  }
  throw new PeopleFault("invalid_request", "The request is not a JSON object.");
}

export async function findSignedIn(visit: Visit): Promise<SignedIn | null> {
  const { signedIn, cookies } = await visit.house.auth.signedIn(visit.request.headers);
  visit.cookies.push(...cookies);
  return signedIn;
}

/** Signed in with a verified address and an account; what was broken off when that account was made or closed is done. */
export async function requireMember(visit: Visit): Promise<Member> {
  const { house, now } = visit;
  const signedIn = await findSignedIn(visit);
  if (signedIn === null) throw signedOut();
  const { person } = signedIn;
  if (!person.verified) {
    throw new PeopleFault(
      "email_not_verified",
      "Confirm your e-mail address first: the link is in the letter that we sent you.",
    );
  }
  const account = person.account ?? (await house.auth.finishWelcome(person));
  const status = await house.desk.ledger.findAccount({ account, now });
  if (status === null) throw new Error(`The ledger has no account ${account}`);
  if (status.state === "closed") {
    await finishClosing(visit, person.email);
    throw signedOut();
  }
  return { ...signedIn, account, status };
}

/** Closes an account for good; also where that was broken off half-way, or somebody else does it at the same time. */
export async function finishClosing({ house, now }: Visit, email: string): Promise<void> {
  await closeAccount(house.desk, email, now).catch((error) => {
    if (!(error instanceof DeskRefusal)) throw error;
  });
}

/** A member whose account is not suspended. */
export const requireActiveMember = async (visit: Visit): Promise<Member> =>
  requireNotSuspended(
    await requireMember(visit),
    "This account is suspended. Ask the people who run this service.",
  );

export function requireNotSuspended(member: Member, detail: string): Member {
  if (member.status.state === "suspended") throw new PeopleFault("account_suspended", detail);
  return member;
}

const signedOut = () => new PeopleFault("signed_out", "You are signed out. Sign in again.");

export const json = (body: object, status = 200): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json" },
  });

/** For the person to see. Like a letter, it tells of what was done already. */
export async function note(
  { house, peer, now, requestId }: Visit,
  person: string,
  kind: EventKind,
  detail: string | null,
): Promise<void> {
  await house.journal
    .noteEvent({ person, at: now, kind, detail, address: peer })
    .catch((cause) => house.complain("An event could not be noted", { requestId, cause }));
}

/** A letter tells of what was done already: where it cannot be posted, that is a fault of ours and not of the request. */
export async function tell(visit: Visit, letter: Promise<unknown>): Promise<void> {
  await letter.catch((cause) =>
    visit.house.complain("A letter could not be posted", { requestId: visit.requestId, cause }),
  );
}
