import type { SignedIn } from "#accounts/auth-options.ts";
import type { SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { PeopleFault, tooFast } from "./dashboard-error.ts";
import {
  findSignedIn,
  finishClosing,
  json,
  note,
  readJson,
  requireMember,
  requireNotSuspended,
  tell,
  type Visit,
} from "./request-context.ts";
import type { EventsView, PersonView, Provider, SessionView, Visitor } from "./shapes.ts";

const EVENTS_A_PAGE = 30;

export async function showVisitor(visit: Visit): Promise<Response> {
  const { settings } = visit.house;
  const signedIn = await findSignedIn(visit);
  const view: Visitor = {
    person: signedIn === null ? null : await viewPerson(visit, signedIn),
    signUp: settings.signUp,
    providers: [...settings.providers],
    starter: settings.starter,
    apiUrl: settings.publicUrl,
    lettersStayHere: settings.lettersStayHere,
  };
  return json(view);
}

/** Null where the account turns out to be closed. */
async function viewPerson(visit: Visit, { person }: SignedIn): Promise<PersonView | null> {
  const { house, now } = visit;
  const { internalAdapter } = await house.auth.context();
  const logins = await internalAdapter.findAccounts(person.id);
  const names = logins.map(({ providerId }) => providerId);
  const account =
    person.verified && person.account === null
      ? await house.auth.finishWelcome(person)
      : person.account;
  const status = account === null ? null : await house.desk.ledger.findAccount({ account, now });
  if (status?.state === "closed") {
    await finishClosing(visit, person.email);
    return null;
  }
  return {
    email: person.email,
    verified: person.verified,
    createdAt: person.createdAt,
    account: status === null ? null : { id: status.account, state: status.state },
    hasPassword: names.includes("credential"),
    providers: house.settings.providers.filter((name: Provider) => names.includes(name)),
  };
}

export async function listSessions(visit: Visit): Promise<Response> {
  const { person, session } = await requireMember(visit);
  const { internalAdapter } = await visit.house.auth.context();
  const found = await internalAdapter.listSessions(person.id, { onlyActiveSessions: true });
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
export async function endSession(visit: Visit): Promise<Response> {
  const { house, id } = visit;
  const { person, session } = await requireMember(visit);
  const { internalAdapter } = await house.auth.context();
  const found = await internalAdapter.listSessions(person.id);
  const ending = found.filter((each) =>
    id === "others" ? each.id !== session.id : each.id === id,
  );
  if (ending.length === 0 && id !== "others") {
    throw new PeopleFault("not_found", "There is no such session; it has ended already.");
  }
  for (const { token } of ending) await internalAdapter.deleteSession(token);
  if (ending.length > 0) await note(visit, person.id, "session_ended", null);
  return json({});
}

export async function listEvents(visit: Visit): Promise<Response> {
  const { person } = await requireMember(visit);
  const after = visit.url.searchParams.get("after");
  const view: EventsView = await visit.house.journal.listEvents({
    person: person.id,
    after,
    max: EVENTS_A_PAGE,
  });
  return json(view);
}

/** The owner closes the account: the address once more, and the password where there is one. */
export function createCloseAccount(throttle: SignInThrottle) {
  return async (visit: Visit): Promise<Response> => {
    const { house, now } = visit;
    const { person } = requireNotSuspended(
      await requireMember(visit),
      // Else its owner closed it, signed up again and was free.
      "This account is suspended, so it cannot be closed now. Ask the people who run this service.",
    );
    const { email, password } = await readJson(visit);
    if (typeof email !== "string" || email.trim().toLowerCase() !== person.email) {
      throw new PeopleFault("invalid_request", "Type the e-mail address of this account.");
    }
    const { internalAdapter } = await house.auth.context();
    const login = await internalAdapter.findCredentialAccount(person.id);
    if (typeof login?.password === "string") {
      const attempt = { email: person.email, address: visit.peer ?? "", isKnownBrowser: true };
      const asked = await throttle.ask(attempt, now);
      if ("refusedForMs" in asked) throw tooFast(asked.refusedForMs);
      const right =
        typeof password === "string" && (await house.verifyPassword(login.password, password));
      if (!right) throw new PeopleFault("wrong_password", "The password is not right.");
    }
    await finishClosing(visit, person.email);
    await tell(visit, house.letters.closed(person.email));
    return json({});
  };
}
