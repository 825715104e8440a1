import { addressChangedEmail, UNDO_MS } from "#accounts/account-emails.ts";
import { recordFormerEmail } from "#accounts/accounts.ts";
import { hashOf } from "#accounts/attempts.ts";
import { browserName } from "#accounts/browser-name.ts";
import { originFacts } from "#accounts/security-emails.ts";
import { signUpNetworkOf } from "#networks.ts";
import { readOrder } from "./call-auth.ts";
import { AuthError, DashboardError } from "./dashboard-error.ts";
import { requireFreshProof } from "./fresh-proof.ts";
import { knowBrowser } from "./known-browser.ts";
import {
  type DashboardHandler,
  json,
  type RequestContext,
  recordEvent,
  requireMember,
  requireNotSuspended,
} from "./request-context.ts";
import {
  beginAttempt,
  codeOrigin,
  requireFewStarts,
  requireFewTries,
  requireSendable,
  takeCode,
} from "./sign-in.ts";

/** Changing the address of an account: a code to the new address, then a link to the old one that undoes it for 72 hours. */

/** Otherwise the owner could move the suspended account away and sign up again with the old address. */
const SUSPENDED =
  "This account is suspended, so you cannot change its email address. Contact the operator of this service.";

export const beginEmailChange: DashboardHandler = async (context) => {
  const { email = "" } = await readOrder(context, ["email"]);
  const member = requireNotSuspended(await requireMember(context), SUSPENDED);
  requireFreshProof(context, member);
  await requireFewStarts(context, email, "change");
  const network = context.deps.auth.networkMark(signUpNetworkOf(context.peer));
  await requireSendable(context, ["change"], network);
  const { code } = await beginAttempt(context, "new-address", email, member.user.id);
  context.deps.inBackground(sendCode(context, email, code, network));
  return json({ sent: true });
};

export const confirmEmailChange: DashboardHandler = async (context) => {
  const { deps, now } = context;
  const { user, session, account } = requireNotSuspended(await requireMember(context), SUSPENDED);
  const { email: from } = user;
  const { email: to, userId } = await takeCode(context, "new-address");
  if (userId !== user.id) throw new DashboardError("attempt_ended", OTHER_USER);
  const undo = deps.newSecret();
  const about = emailAbout(context, { to: from, newAddress: to, undo });
  // Before the change: after it, a request that is repeated finds only the new address.
  if (from !== to) await recordFormerEmail(deps.accountDeps, from, now);
  const { outcome } = await deps.activityLog.changeAddress({
    ...{ account, from, to, at: now, keptSession: session.id },
    undo: { id: deps.newSecret(), link: hashOf(undo), until: now + UNDO_MS },
    email: await deps.emails.prepare(about),
  });
  if (outcome === "taken") throw taken("Another account has this email address.");
  if (outcome !== "changed") return json({ email: to });
  knowBrowser(context, to);
  await recordEvent(context, { id: user.id, email: to }, "email_changed", to);
  return json({ email: to });
};

export const undoEmailChange: DashboardHandler = async (context) => {
  const { deps, now } = context;
  const { secret = "" } = await readOrder(context, ["secret"]);
  await requireFewTries(context);
  const undone = await deps.activityLog.undoAddressChange({ link: hashOf(secret), at: now });
  if (undone.outcome === "taken") {
    throw taken(
      "Another account now has this email address. If it is yours, close it under Settings, Account, and open this link again. Otherwise contact the operator of this service.",
    );
  }
  if (undone.outcome !== "undone") {
    throw new DashboardError(
      "link_expired",
      "This link has expired or was already used. If you need help, contact the operator of this service.",
    );
  }
  const { user, email, before } = undone;
  await recordFormerEmail(deps.accountDeps, before, now);
  await recordEvent(context, { id: user, email }, "email_change_undone", email, {
    alsoEmails: [emailAbout(context, { to: before, newAddress: email, undo: null })],
  });
  return json({ email });
};

/** Only an email to the new address may reveal that it is taken. */
async function sendCode(
  context: RequestContext,
  to: string,
  code: string,
  network: string,
): Promise<void> {
  const { deps } = context;
  const { internalAdapter } = await deps.auth.context();
  const [user, account] = await Promise.all([
    internalAdapter.findUserByEmail(to),
    deps.accountDeps.directory.findByEmail({ email: to }),
  ]);
  const isTaken = user !== null || account !== null;
  await (isTaken
    ? deps.emails.addressInUse(to, network)
    : deps.emails.newAddressCode({ to, code, network, origin: codeOrigin(context) }));
}

const emailAbout = (
  { deps, peer, now, request }: RequestContext,
  order: { to: string; newAddress: string; undo: string | null },
) =>
  addressChangedEmail(deps.settings, {
    ...order,
    now,
    origin: originFacts({
      at: now,
      address: peer,
      browser: browserName(request.headers.get("user-agent")),
    }),
  });

const taken = (detail: string) => new AuthError("ADDRESS_TAKEN", detail, 409);
const OTHER_USER =
  "This code was requested by another account in this browser. Ask for a new code.";
