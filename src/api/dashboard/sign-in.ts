import type { Attempt, AttemptPurpose } from "#accounts/attempts.ts";
import { browserName, knownBrowserName } from "#accounts/browser-name.ts";
import type { RequestCounts, RequestRule } from "#accounts/request-counts.ts";
import { originFacts } from "#accounts/security-emails.ts";
import { counted } from "#counted.ts";
import { REQUESTED_PER_DAY_MAX, REQUESTED_PER_HOUR_MAX } from "#email/bounds.ts";
import { canonicalAddress } from "#email/canonical-address.ts";
import type { RequestedGroup } from "#email/mail.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import { networkOf, signUpNetworkOf } from "#networks.ts";
import { clientHeaders, readOrder } from "./call-auth.ts";
import { readCookie, writeCookie } from "./cookies.ts";
import { DashboardError, retryAfter, tooManyRequests } from "./dashboard-error.ts";
import { isKnownBrowser, knowBrowser } from "./known-browser.ts";
import { type DashboardHandler, json, type RequestContext } from "./request-context.ts";
import type { LinkView, SignedInView, StartedView } from "./shapes.ts";

/**
 * Signing in and up by email: an address, then the code or the link that was sent to it. What is sent, and whether anything is, is decided
 * after the response, so that known and unknown addresses look and time alike.
 */

/** The cookie with the secret of this browser's attempt. */
const ATTEMPT_COOKIE = "attempt";
const ATTEMPT_SECONDS = 600;

/** Of one network in a minute: of requests that may cause an email, and of codes and links. */
const STARTS: RequestRule = { window: 60, max: 6 };
const TRIES: RequestRule = { window: 60, max: 20 };
/** Wrong codes for one address, across its attempts: more can only come from guessing. A browser of the owner is exempt. */
const WRONG_CODES: RequestRule = { window: DAY_MS / 1_000, max: 10 };
/** The queue has the same bounds, which hold when a restart has cleared these. */
const CODES_PER_HOUR: RequestRule = { window: HOUR_MS / 1_000, max: REQUESTED_PER_HOUR_MAX };
const CODES_PER_DAY: RequestRule = { window: DAY_MS / 1_000, max: REQUESTED_PER_DAY_MAX };

export const startSignIn: DashboardHandler = async (context) => {
  const { email = "" } = await readOrder(context, ["email"]);
  const { deps, peer } = context;
  const isKnown = isKnownBrowser(context.request.headers, email, deps.settings);
  await requireFewStarts(context, email, isKnown ? "known" : "any");
  const network = isKnown ? "" : deps.auth.networkMark(signUpNetworkOf(peer));
  const when = await requireSendable(
    context,
    isKnown ? ["known"] : ["sign_up", "sign_in"],
    network,
  );
  const attempt = await beginAttempt(context, "sign-in", email);
  deps.inBackground(sendCode(context, { email, isKnown, network, ...attempt }));
  const view: StartedView = {
    sent: true,
    signUpsFrom: "sign_up" in when ? when.sign_up : null,
    signInsFrom: "sign_in" in when ? when.sign_in : null,
  };
  return json(view);
};

export const enterCode: DashboardHandler = async (context) => {
  const { email } = await takeCode(context, "sign-in");
  return json(await signIn(context, email, "code"));
};

/** Only this POST does something, because mail scanners open links. */
export const openLink: DashboardHandler = async (context) => {
  const { secret = "" } = await readOrder(context, ["secret"]);
  await requireFewTries(context);
  const opened = await context.deps.auth.attempts.open(secret, readAttempt(context));
  if (opened.outcome === "ended") throw attemptEnded();
  if (opened.outcome === "shown") {
    return json({ code: opened.code, signedUp: false } satisfies LinkView);
  }
  const { signedUp } = await signIn(context, opened.attempt.email, "link");
  return json({ code: null, signedUp } satisfies LinkView);
};

/** Begins an attempt in this browser, in place of one that it has. */
export async function beginAttempt(
  context: RequestContext,
  purpose: AttemptPurpose,
  email: string,
  user: string | null = null,
): Promise<{ link: string; code: string }> {
  const { deps, cookies } = context;
  const { browser, ...sent } = await deps.auth.attempts.begin(purpose, email, user);
  cookies.push(writeCookie(ATTEMPT_COOKIE, browser, ATTEMPT_SECONDS, deps.settings));
  return sent;
}

const readAttempt = ({ request, deps }: RequestContext) =>
  readCookie(request, ATTEMPT_COOKIE, deps.settings);

/** Sends an email to an address that has a user, or may sign up; to any other nothing. */
async function sendCode(
  context: RequestContext,
  {
    email: to,
    isKnown,
    ...attempt
  }: { email: string; isKnown: boolean; network: string; link: string; code: string },
): Promise<void> {
  const { deps } = context;
  const sent = { ...attempt, origin: codeOrigin(context) };
  const { internalAdapter } = await deps.auth.context();
  const [found, maySignUp] = await Promise.all([
    internalAdapter.findUserByEmail(to),
    deps.auth.maySignUp(to),
  ]);
  if (found !== null) {
    await deps.emails.signInCode(isKnown ? "known_sign_in_code" : "sign_in_code", { to, ...sent });
  } else if (maySignUp) await deps.emails.signInCode("sign_up_code", { to, ...sent });
}

/** What an email says of the request for its code, so that the reader knows the browser that takes it. */
export const codeOrigin = ({ request, peer, now }: RequestContext) =>
  originFacts({
    ...{ at: now, address: peer },
    browser: knownBrowserName(request.headers.get("user-agent")),
  });

/** Takes the code in the body for the attempt of this browser, which is then used. Throws what is wrong with it. */
export async function takeCode(context: RequestContext, purpose: AttemptPurpose): Promise<Attempt> {
  const { code = "" } = await readOrder(context, ["code"]);
  const { deps, request, counts } = context;
  await requireFewTries(context);
  const browser = readAttempt(context);
  if (browser === undefined) throw attemptEnded();
  const digits = code.replace(/[\s-]/g, "");
  const name = (email: string) => `wrong codes ${email}`;
  let isCounted = false;
  const result = await deps.auth.attempts.enter(purpose, browser, digits, async (email) => {
    if (isKnownBrowser(request.headers, email, deps.settings)) return true;
    // Counted before it is known to be wrong, so that tries at once are counted too.
    isCounted = true;
    return (await counts.count(name(email), WRONG_CODES)).allowed;
  });
  switch (result.outcome) {
    case "right":
      if (isCounted) deps.inBackground(giveBack(counts, name(result.attempt.email)));
      return result.attempt;
    case "ended":
      throw attemptEnded();
    case "barred":
      throw tooManyCodes();
    case "wrong":
      if (purpose === "sign-in") recordFailedSignIn(context, result.email);
      throw wrongCode(result.triesLeft);
  }
}

const giveBack = async ({ giveBack }: RequestCounts, name: string): Promise<void> => giveBack(name);

async function signIn(
  context: RequestContext,
  email: string,
  method: "code" | "link",
): Promise<SignedInView> {
  const { deps, cookies } = context;
  const order = { email, method };
  const result = await deps.auth.signInByEmail(order, clientHeaders(context));
  cookies.push(...result.cookies, writeCookie(ATTEMPT_COOKIE, "", 0, deps.settings));
  switch (result.outcome) {
    case "passkey_required":
      throw new DashboardError(
        "passkey_required",
        "This account requires a passkey. Sign in with yours.",
      );
    case "sign_up_closed":
      throw new DashboardError(
        "sign_up_closed",
        "This service does not accept new accounts. Contact its operator.",
      );
    case "signed_in":
      knowBrowser(context, email);
      return { signedUp: result.signedUp };
  }
}

/**
 * Counts a wrong code in the activity log of the address's owner, if there is one. It is written after the response,
 * whose duration would otherwise reveal whether the address has an account.
 */
function recordFailedSignIn({ deps, peer, now, request }: RequestContext, email: string): void {
  const browser = browserName(request.headers.get("user-agent"));
  const order = { email, at: now, address: peer, browser };
  deps.afterResponse(() => deps.activityLog.recordFailedSignIn(order));
}

/** Bounds how often a network asks for one thing. Throws `too_many_requests`. */
async function requireFew(
  { peer, counts }: RequestContext,
  what: "codes" | "starts",
  rule: RequestRule,
): Promise<void> {
  const { allowed, retryAfter: seconds } = await counts.count(
    `${what} of ${networkOf(peer ?? "")}`,
    rule,
  );
  if (!allowed) throw tooManyRequests((seconds ?? 1) * 1_000);
}

export const requireFewTries = (context: RequestContext): Promise<void> =>
  requireFew(context, "codes", TRIES);

/**
 * Bounds how many codes a network asks for, and how many are asked for an address. Browsers of its
 * owner, and users who want to move to it, have counts of their own.
 */
export async function requireFewStarts(
  context: RequestContext,
  email: string,
  cause: "any" | "known" | "change",
): Promise<void> {
  const { counts } = context;
  await requireFew(context, "starts", STARTS);
  const name = `codes to ${canonicalAddress(email)} by ${cause}`;
  // What the hour does not allow, the day does not count.
  let verdict = await counts.count(`${name} hour`, CODES_PER_HOUR);
  if (verdict.allowed) verdict = await counts.count(`${name} day`, CODES_PER_DAY);
  if (verdict.allowed) return;
  const wait = (verdict.retryAfter ?? 1) * 1_000;
  throw new DashboardError(
    "too_many_emails",
    `We have sent several codes to this address. Enter the newest one that you asked for in this browser, look in your spam folder, or try again after ${utcTime(context.now + wait, context.now)}.`,
    retryAfter(wait),
  );
}

/**
 * Counts a request that may cause an email. Returns for each group when the service sends such an email again; null: now. Throws
 * `emails_exhausted` where none of them can be sent. It is called before it is known whether the address has an account.
 */
export async function requireSendable<Group extends RequestedGroup>(
  { deps, now, counts }: RequestContext,
  groups: readonly Group[],
  network: string,
): Promise<Record<Group, number | null>> {
  const when = await deps.whenSendable({ groups, network }, counts.count);
  const times = groups.map((group) => when[group]);
  if (times.includes(null)) return when;
  const at = Math.min(...times.map((time) => time ?? 0));
  throw new DashboardError(
    "emails_exhausted",
    `This service has reached its email limit, overall or for your network. Sign in with a passkey, GitHub or Google, or try again after ${utcTime(at, now)}.`,
    retryAfter(at - now),
  );
}

/** The first full minute from then on, which is at most a day away. */
function utcTime(at: number, now: number): string {
  const minute = Math.ceil(at / 60_000) * 60_000;
  const isToday = Math.floor(minute / DAY_MS) === Math.floor(now / DAY_MS);
  return `${new Date(minute).toISOString().slice(11, 16)} UTC${isToday ? "" : " tomorrow"}`;
}

const attemptEnded = () =>
  new DashboardError(
    "attempt_ended",
    "This code or link has expired or was used, or belongs to another browser. Ask for a new code.",
  );

const wrongCode = (triesLeft: number) =>
  new DashboardError(
    "wrong_code",
    triesLeft === 0
      ? "Wrong code. Ask for a new one."
      : `Wrong code. Enter the code from the email that this browser requested; you have ${counted(triesLeft, "try", "tries")} left.`,
  );

const tooManyCodes = () =>
  new DashboardError(
    "too_many_codes",
    "Too many wrong codes for this address today. Open the link in the email in this browser, use a passkey, or sign in with a browser that you have used before.",
    retryAfter(WRONG_CODES.window * 1_000),
  );
