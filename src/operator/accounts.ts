import * as z from "zod";
import { addressChangedEmail, UNDO_MS } from "#accounts/account-emails.ts";
import {
  AccountError,
  closeFound,
  openAccount,
  recordFormerEmail,
  runSteps,
} from "#accounts/accounts.ts";
import { EVENT_KINDS } from "#accounts/activity-log.ts";
import { hashOf } from "#accounts/attempts.ts";
import type { Address } from "#accounts/directory.ts";
import { findOwnerToNotify } from "#accounts/notify-owner.ts";
import { originFacts } from "#accounts/security-emails.ts";
import { STARTER_OUTCOMES } from "#accounts/starter-claim.ts";
import { quotedCommand } from "#command-line.ts";
import { counted } from "#counted.ts";
import { newAccountId, randomBase62 } from "#ids.ts";
import {
  accountOf,
  accountsAtOnce,
  type FoundAccount,
  type OperatorContext,
  statusOf,
} from "./context.ts";
import { listedKey, viewKey } from "./keys.ts";
import {
  count,
  creditsOrNone,
  email,
  listMax,
  newEmail,
  text,
  textOrNull,
  time,
  usage,
} from "./members.ts";
import { defineOperation, done, sayNotified, unchanged, wholeService } from "./operation.ts";
import { ownPrices, viewPrices } from "./prices.ts";

/** Operations on accounts. */

const state = z.enum(["open", "suspended", "closed"]);
const subject = ({ account }: FoundAccount) => account;

export const createAccount = defineOperation({
  name: "account create",
  summary: "Create a verified account with N credits that never expire",
  input: z.strictObject({ email: newEmail, credits: creditsOrNone.default(0) }),
  output: z.object({ id: z.string(), email: z.string(), balance: count }),
  async find({ directory, ledger }, input, { now, random }) {
    const fresh = newAccountId(random);
    const found = await directory.findByEmail({ email: input.email });
    const account = found?.account ?? fresh;
    // An address whose account was never opened: its creation was interrupted, and continues.
    const status = account === fresh ? null : await ledger.findAccount({ account, now });
    if (status === null) return { account, email: input.email, fresh };
    if (status.state === "closed") throw new AccountError(halfClosed(input.email));
    throw new AccountError(
      `${input.email} already has an account. To add credits to it, run for example ${quotedCommand("credits grant", input.email, "100")}.`,
    );
  },
  action: {
    subject: ({ account }) => account,
    end: ({ balance }) => done(counted(balance, "credit")),
  },
  run: (context, { credits: amount }, { now, say }, target) =>
    runSteps(async () => {
      const { ledger, accountDeps } = context;
      const { account, email } = await openAccount(accountDeps, target.email, now, target.fresh);
      if (amount > 0) {
        // Of two orders at once that create the account, one makes the grant.
        const id = `operator:${account}`;
        await ledger.grant({ account, id, kind: "operator", amount, expiresAt: null, now });
      }
      const { balance, freeCall } = await statusOf(context, account, now);
      if (freeCall === "withheld")
        say("This address had an account that was closed. The new account has no free call.");
      return { id: account, email, balance };
    }),
});

const listed = z.object({
  id: z.string(),
  email: z.string(),
  state,
  balance: z.int(),
  createdAt: time,
});

export const listAccounts = defineOperation({
  name: "account list",
  summary: "List accounts with their state and balance, in the order of their addresses",
  input: z.strictObject({
    search: text("TEXT").default(""),
    max: listMax.optional(),
    after: text("EMAIL").optional(),
  }),
  output: z.object({
    accounts: z.array(listed),
    /** The address after which the next page starts; null after the last one. */
    next: textOrNull,
  }),
  find: wholeService,
  action: null,
  async run(context, { search, max = Number.MAX_SAFE_INTEGER, after = null }, { now }) {
    const wanted = Math.min(max, accountsAtOnce(context), ACCOUNTS_A_PAGE);
    const { found, next } = await findAddresses(context, search, wanted, after);
    const accounts: z.input<typeof listed>[] = [];
    for (const { email, account: id } of found) {
      const status = await context.ledger.findAccount({ account: id, now });
      if (status !== null) accounts.push({ ...status, id, email });
      if (accounts.length % PAUSE_EVERY === 0) await context.pause();
    }
    return { accounts, next };
  },
});

const PAUSE_EVERY = 100;
/** A response has no more, because it is in memory as a whole. */
const ACCOUNTS_A_PAGE = 1_000;
const ADDRESSES_A_PAGE = 1_000;

/** The first `max` addresses after `after` that contain the text, or whose account's id does. */
async function findAddresses(
  context: OperatorContext,
  search: string,
  max: number,
  after: string | null,
) {
  const wanted = search.toLowerCase();
  const found: Address[] = [];
  // A Worker reads only so many pages in a request.
  const pages = accountsAtOnce(context);
  for (let from = after?.toLowerCase() ?? null, read = 0; read < pages; read += 1) {
    const addresses = await context.directory.listAddresses({ after: from, max: ADDRESSES_A_PAGE });
    for (const address of addresses) {
      const { email, account } = address;
      if (!email.includes(wanted) && !account.toLowerCase().includes(wanted)) continue;
      if (found.length === max) return { found, next: found.at(-1)?.email ?? null };
      found.push(address);
    }
    if (addresses.length < ADDRESSES_A_PAGE) return { found, next: null };
    from = addresses.at(-1)?.email ?? null;
    if (read + 1 === pages) return { found, next: from };
    await context.pause();
  }
  return { found, next: null };
}

const signIn = z.object({
  at: time,
  kind: z.enum(EVENT_KINDS),
  address: textOrNull,
  browser: textOrNull,
  times: count,
});
/** Kinds of events that `account show` lists as sign-ins. */
const SIGN_INS = ["signed_up", "signed_in", "signed_in_new_browser", "sign_in_failed"];
const SIGN_INS_SHOWN = 5;
const EVENTS_READ = 100;

export const showAccount = defineOperation({
  name: "account show",
  summary: "Show an account: state, balance, plan, keys, own prices, and how its owner signs in",
  input: z.strictObject({ email }),
  output: z.object({
    ...{ id: z.string(), email: z.string(), state, createdAt: time },
    ...{ plan: z.enum(["credits", "lifetime"]), balance: z.int() },
    /** What running calls hold; absent if it is nothing. */
    held: count.optional(),
    nextExpiry: z.object({ credits: count, at: time }).nullable(),
    ...{ freeCall: z.enum(["open", "used", "withheld"]), lowBalance: count },
    starter: z.object({ outcome: z.enum(STARTER_OUTCOMES), at: time }).nullable(),
    /** Null if nobody has signed up for the account. */
    owner: z
      .object({
        ...{ createdAt: time, logins: z.array(z.string()), passkeys: count },
        ...{ requiresPasskey: z.boolean(), sessions: count },
        /** The newest, with failed ones. */
        signIns: z.array(signIn),
      })
      .nullable(),
    keys: z.array(listedKey),
    /** Of its own, by tool. */
    prices: ownPrices,
  }),
  find: accountOf,
  action: null,
  async run(context, _, { now }, { account, email }) {
    const { ledger, notify, directory } = context;
    const [status, keys, { nextExpiry }, user, claim] = await Promise.all([
      statusOf(context, account, now),
      ledger.listKeys({ account }),
      ledger.credits({ account, now, max: 0 }),
      notify.activityLog.readUser({ account }),
      directory.findStarter({ account }),
    ]);
    return {
      ...{ ...status, id: account, email, nextExpiry, starter: claim },
      held: status.held || undefined,
      plan: status.lifetime ? ("lifetime" as const) : ("credits" as const),
      owner: user && {
        ...{ ...user, passkeys: user.passkeys.length },
        logins: user.logins.map(({ provider }) => provider),
        sessions: user.sessions.length,
        signIns: await signInsOf(context, user.id),
      },
      keys: keys.map((key) => viewKey(key, now)),
      prices: viewPrices(status.prices),
    };
  },
});

async function signInsOf({ notify }: OperatorContext, user: string) {
  const { events } = await notify.activityLog.listEvents({ user, after: null, max: EVENTS_READ });
  return events.filter(({ kind }) => SIGN_INS.includes(kind)).slice(0, SIGN_INS_SHOWN);
}

const changed = z.object({ id: z.string(), email: z.string(), state });

const halfClosed = (email: string) =>
  `The account of ${email} was closed, but its address was not deleted. To complete that, run ${quotedCommand("account close", email)}.`;

const stateOperation = (name: string, wanted: "open" | "suspended", summary: string) =>
  defineOperation({
    name,
    summary,
    input: z.strictObject({ email }),
    output: changed,
    find: accountOf,
    action: { subject },
    async run(context, _, { now }, { account, email: address }) {
      const { found } = await context.ledger.changeAccount({ account, state: wanted, now });
      if (found) return { id: account, email: address, state: wanted };
      await statusOf(context, account, now);
      throw new AccountError(halfClosed(address));
    },
  });

export const suspendAccount = stateOperation(
  "account suspend",
  "suspended",
  "Reject all calls of an account with 403 until you resume the account",
);

export const resumeAccount = stateOperation(
  "account resume",
  "open",
  "Accept calls of a suspended account again",
);

export const closeAccountForGood = defineOperation({
  name: "account close",
  summary: "Close an account permanently and delete its address",
  input: z.strictObject({ email }),
  output: changed.extend({ state: z.literal("closed"), forfeited: count }),
  // By its id a closed one too, so that an order that is sent again gets its response.
  find: (context, input, order) => accountOf(context, input, order, true),
  action: {
    subject,
    takesAddress: true,
    end: ({ forfeited }) => done(`${counted(forfeited, "credit")} forfeited`),
  },
  async run({ accountDeps, notify }, _, order, { account, email }) {
    const notifyOwner = await findOwnerToNotify(notify, account);
    const { forfeited, isForgotten } = await runSteps(() =>
      closeFound(accountDeps, { account, email: email === account ? null : email }, order.now),
    );
    if (isForgotten) sayNotified(order, await notifyOwner({ kind: "account_closed" }, order.now));
    return { id: account, email, state: "closed" as const, forfeited };
  },
});

/**
 * For an owner who lost their mailbox. All sessions end. The old address gets a link that undoes it for 72 hours, because the operator
 * may have been deceived.
 */
export const setEmail = defineOperation({
  name: "account set-email",
  summary: "Give an account another email address",
  input: z.strictObject({ email, to: newEmail.meta(usage("new email")) }),
  /** `from`: the address before, which is the same if the account had the new address already. */
  output: z.object({ id: z.string(), email: z.string(), from: z.string() }),
  find: accountOf,
  action: {
    subject,
    takesAddress: true,
    end: ({ email, from }) => (email === from ? unchanged("unchanged") : done()),
  },
  async run({ accountDeps, notify }, { to }, order, { account, email: from }) {
    const { now, random } = order;
    const [id, undo] = [randomBase62(24, random), randomBase62(32, random)];
    const notifyOwner = await findOwnerToNotify(notify, account);
    const origin = originFacts({ at: now, address: null, browser: null, byOperator: true });
    const about = { to: from, newAddress: to, origin, undo, now };
    // Before the change, because an order that is sent again after it finds only the new address.
    if (from !== to && from !== account) await recordFormerEmail(accountDeps, from, now);
    const { outcome } = await notify.activityLog.changeAddress({
      ...{ account, from, to, at: now, keptSession: null },
      undo: { id, link: hashOf(undo), until: now + UNDO_MS },
      email: await notify.mail.prepare(addressChangedEmail(notify, about)),
    });
    if (outcome === "taken")
      throw new AccountError(`Another account has ${to}. Nothing was changed.`);
    if (outcome === "no_account")
      throw new AccountError(`The account ${account} has no address. Nothing was changed.`);
    if (outcome === "changed") {
      notify.mail.wake();
      sayNotified(order, await notifyOwner({ kind: "email_changed", to }, now));
    }
    return { id: account, email: to, from };
  },
});

/**
 * For an owner who lost their passkeys, so that an emailed code signs in again. All sessions end, because someone else may hold what
 * was lost.
 */
export const resetPasskeys = defineOperation({
  name: "account reset-passkeys",
  summary: "Remove all passkeys of a user",
  input: z.strictObject({ email }),
  output: z.object({ id: z.string(), email: z.string(), passkeys: count }),
  find: accountOf,
  action: {
    subject,
    end: ({ passkeys }) => done(`${counted(passkeys, "passkey")} removed`),
  },
  async run({ notify }, _, order, { account, email }) {
    const notifyOwner = await findOwnerToNotify(notify, account);
    const { found, passkeys } = await notify.activityLog.resetPasskeys({ account });
    if (!found)
      throw new AccountError(
        `Nobody has signed up for the account of ${email}. Nothing was changed.`,
      );
    if (passkeys > 0) sayNotified(order, await notifyOwner({ kind: "passkeys_reset" }, order.now));
    return { id: account, email, passkeys };
  },
});
