import { readUnsubscription } from "#events/unsubscribe.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { PeopleFault } from "./dashboard-error.ts";
import { json, readJson, requireMember, type Visit } from "./request-context.ts";
import type { NoticesView, UnsubscribedView } from "./shapes.ts";

/** Below which balance an owner is told, and by which letters. */
export async function showNotices(visit: Visit): Promise<Response> {
  const { account, status } = await requireMember(visit);
  const { letters } = await visit.house.notices.choice({ account });
  const view: NoticesView = { lowBalance: status.lowBalance, letters };
  return json(view);
}

export async function chooseNotices(visit: Visit): Promise<Response> {
  const { house, now } = visit;
  const { account, status } = await requireMember(visit);
  const { lowBalance, letters } = await readChoice(visit);
  // Each may be asked for again: what is not reached the first time is at the second. Where the number stays, so does what
  // is to be told of it.
  if (lowBalance !== status.lowBalance)
    await house.desk.ledger.setLowBalance({ account, lowBalance, now });
  await house.notices.choose({ account, choice: { letters } });
  const view: NoticesView = { lowBalance, letters };
  return json(view);
}

async function readChoice(visit: Visit): Promise<NoticesView> {
  const { lowBalance, letters } = await readJson(visit);
  if (!isWhole(lowBalance) || lowBalance < 0 || lowBalance > GRANT_CREDITS_MAX) {
    throw new PeopleFault(
      "invalid_request",
      `Give a whole number of credits from 0 (not until they are used up) to ${GRANT_CREDITS_MAX.toLocaleString("en")}.`,
    );
  }
  const { low, expiring } = (letters ?? {}) as Record<string, unknown>;
  if (typeof low !== "boolean" || typeof expiring !== "boolean") {
    throw new PeopleFault("invalid_request", "Say of each sort of letters whether it is wanted.");
  }
  return { lowBalance, letters: { low, expiring } };
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

/**
 * A link of a letter, or the mail program of its reader by itself (RFC 8058): without a sign-in, and from wherever it comes,
 * for the token says whose letters of which sort end. Once more changes nothing.
 */
export async function unsubscribe(visit: Visit): Promise<Response> {
  const { house, url } = visit;
  const token = url.searchParams.get("token") ?? "";
  const found = readUnsubscription(token, house.desk.secrets);
  if (found === null) {
    throw new PeopleFault(
      "invalid_request",
      "This link is not complete, or no longer good. Sign in: under Settings, Notices you choose which letters you get.",
    );
  }
  const { account, sort } = found;
  // Where the account is closed nothing is kept of it, and no letter comes.
  const address = await house.desk.directory.findByAccount({ account });
  if (address !== null) await house.notices.endLetters({ account, sort });
  const view: UnsubscribedView = { letters: sort };
  return json(view);
}

/** A mail program that knows no such POST opens the address: that alone ends nothing, for programs look into links too. */
export async function openUnsubscribe({ house, url }: Visit): Promise<Response> {
  const headers = { Location: `${house.settings.publicUrl}/unsubscribe${url.search}` };
  return new Response(null, { status: 303, headers });
}
