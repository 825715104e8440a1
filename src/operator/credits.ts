import * as z from "zod";
import { AccountError, runSteps } from "#accounts/accounts.ts";
import { quotedCommand } from "#command-line.ts";
import { counted } from "#counted.ts";
import { isAccountId, randomBase62 } from "#ids.ts";
import type { Grant } from "#ledger/port.ts";
import { everyGrant } from "#ledger/read-pages.ts";
import { allGrants } from "./audit.ts";
import { accountOf, type OperatorContext, statusOf } from "./context.ts";
import {
  count,
  credits,
  email,
  grantKind,
  newGrantId,
  text,
  textOrNull,
  timeOrNull,
  usage,
  when,
} from "./members.ts";
import { defineOperation, done, unchanged } from "./operation.ts";
import { instantOrNull } from "./times.ts";

/** Operations on credits. */

export const grantCredits = defineOperation({
  name: "credits grant",
  summary: "Grant an account N credits, available at its next call",
  input: z.strictObject({
    email,
    credits,
    expires: when.optional(),
    /** Without it, every order makes another grant. */
    id: newGrantId.optional(),
  }),
  output: z.object({
    /** `expiresAt`: null also on the lifetime plan, while which nothing expires. */
    ...{ email: z.string(), id: z.string(), amount: count, expiresAt: timeOrNull },
    /** False if the grant was there already. */
    ...{ granted: z.boolean(), balance: z.int() },
  }),
  find: accountOf,
  action: {
    subject: ({ account }) => account,
    end: ({ granted, amount, id }) =>
      granted
        ? done(`${counted(amount, "credit")} as ${id}`)
        : unchanged(`${id} was granted before`),
  },
  async run(context, input, { now, random }, { account, email }) {
    const { credits: amount, expires: expiresAt = null } = input;
    if (expiresAt !== null && expiresAt <= now)
      throw new AccountError(
        `The expiry ${instantOrNull(expiresAt)} is in the past, so these credits could not be spent. Set a later time.`,
      );
    const id = `operator:${input.id ?? randomBase62(16, random)}`;
    const order = { account, id, kind: "operator", amount, expiresAt, now } as const;
    const granted = await context.ledger.grant(order);
    if (granted.outcome === "no_account") {
      await statusOf(context, account, now);
      throw new AccountError(`The account of ${email} is closed and cannot get credits.`);
    }
    const { outcome, grant } = granted;
    // The lifetime plan waives the expiry of a grant, also of one that is made now.
    const ordered = grant.waivedExpiresAt ?? grant.expiresAt;
    if (grant.amount !== amount || ordered !== expiresAt) {
      const expiry = instantOrNull(ordered);
      throw new AccountError(
        `The grant ${id} already exists, with ${counted(grant.amount, "credit")} and ${expiry === null ? "no expiry" : `expiry at ${expiry}`}. Nothing was changed. Use another --id for another grant.`,
      );
    }
    const { balance } = await runSteps(() => context.ledger.credits({ account, now, max: 0 }));
    // An order without an id has one that no other has, so a grant that is there was made by the same order.
    const isNew = outcome === "granted" || input.id === undefined;
    return { email, id, amount, expiresAt: grant.expiresAt, granted: isNew, balance };
  },
});

export const clawBackCredits = defineOperation({
  name: "credits clawback",
  summary: "Take back unspent credits of a grant, such as one that was made by mistake",
  input: z.strictObject({
    grant: text("grant"),
    credits,
    account: email.meta(usage("EMAIL")).optional(),
  }),
  output: z.object({
    ...{ email: textOrNull, account: z.string(), id: z.string(), amount: count },
    /** Of the whole grant, for any reason. */
    ...{ clawedBack: count, spent: count, remaining: count, balance: z.int() },
  }),
  find: findGrant,
  action: {
    subject: ({ account }) => account,
    end: ({ clawedBack, id }) =>
      done(`${counted(clawedBack, `credit of ${id} is`, `credits of ${id} are`)} clawed back`),
  },
  async run({ ledger, directory }, { credits }, { now }, { account, grant }) {
    const { id } = grant;
    if (grant.kind !== "operator" && grant.kind !== "starter")
      throw new AccountError(
        `The credits of ${id} were bought. Refund the payment in Stripe, and they are taken back in proportion.`,
      );
    const clawed = await ledger.clawback({
      ...{ account, grant: id, credits, now },
      ...{ version: now, onlyRaises: true },
    });
    if (clawed.outcome === "no_grant") throw noSuchGrant(id);
    const { outcome, voided: clawedBack, spent } = clawed;
    if (outcome === "stale")
      throw new AccountError(
        `${counted(clawedBack, `credit of ${id} has`, `credits of ${id} have`)} already been taken back, by an order for more than ${credits}. Nothing was changed. N is the total; to give credits back, grant them.`,
      );
    const [address, after, { balance }] = await runSteps(() =>
      Promise.all([
        directory.findByAccount({ account }),
        everyGrant(ledger, { account, now }),
        ledger.credits({ account, now, max: 0 }),
      ]),
    );
    const { amount, remaining } = after.find((each) => each.id === id) ?? grant;
    return {
      ...{ email: address?.email ?? null, account, id, amount, remaining },
      ...{ clawedBack, spent, balance },
    };
  },
});

export const showCredits = defineOperation({
  name: "credits show",
  summary: "Show the balance of an account and its grants",
  input: z.strictObject({ email }),
  output: z.object({
    balance: z.int(),
    /** What running calls hold; absent if it is nothing. */
    held: count.optional(),
    grants: z.array(
      z.object({
        ...{ id: z.string(), kind: grantKind, amount: count, remaining: count },
        expiresAt: timeOrNull,
      }),
    ),
  }),
  find: accountOf,
  action: null,
  async run({ ledger }, _, { now }, { account }) {
    const { balance, held } = await ledger.credits({ account, now, max: 0 });
    const grants = await everyGrant(ledger, { account, now });
    return { balance, held: held || undefined, grants };
  },
});

/** Finds a grant: in the named account, in the one in the id of starter credits, or the only one with this id. */
async function findGrant(
  context: OperatorContext,
  { grant: typed, account: owner }: { grant: string; account?: string | undefined },
  { now }: { now: number },
): Promise<{ account: string; grant: Grant }> {
  const ids = [typed, `operator:${typed}`];
  const account = await findAccountOf(context, ids, owner, now);
  const grants = await everyGrant(context.ledger, { account, now });
  const grant = grants.find(({ id }) => ids.includes(id));
  if (grant === undefined) throw noSuchGrant(typed, owner);
  return { account, grant };
}

async function findAccountOf(
  context: OperatorContext,
  ids: string[],
  owner: string | undefined,
  now: number,
) {
  const [typed = ""] = ids;
  if (owner !== undefined) return (await accountOf(context, { email: owner }, { now })).account;
  const inId = typed.slice("starter:".length);
  if (isAccountId(inId)) return inId;
  if (context.whole === null)
    throw new AccountError(
      "Each account has its own database in this deployment. Name the account with --account.",
    );
  const found = new Set<string>();
  for await (const grants of allGrants(context))
    for (const { account, id } of grants) if (ids.includes(id)) found.add(account);
  const [first, second] = found;
  if (first === undefined) throw noSuchGrant(typed);
  if (second === undefined) return first;
  throw new AccountError(
    `${found.size} accounts have a grant ${typed}. Name the account, for example --account ${first}.`,
  );
}

function noSuchGrant(id: string, owner?: string): AccountError {
  const where = owner === undefined ? "" : ` in the account of ${owner}`;
  const help =
    owner === undefined
      ? `To see all accounts, run ${quotedCommand("account list")}; credits show lists the grants of one.`
      : `To see its grants, run ${quotedCommand("credits show", owner)}.`;
  return new AccountError(`There is no grant ${id}${where}. ${help}`);
}
