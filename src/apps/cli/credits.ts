import { quotedCommand } from "#command-line.ts";
import { isAccountId, randomBase62 } from "#ids.ts";
import { everyGrant } from "#ledger/read-pages.ts";
import { random } from "../node/runtime.ts";
import { creditsFrom, readEnd } from "./arguments.ts";
import {
  type Command,
  CommandError,
  option,
  positional,
  type Session,
  UsageError,
} from "./command.ts";
import { accountOf, command, statusOf } from "./deployment.ts";
import { counted, instantOrNull, integer, minute, table, withInstants } from "./text.ts";
import { openWholeLedger } from "./totals.ts";

export const CREDITS_COMMANDS: readonly Command[] = [
  command({
    name: "credits grant",
    summary: "Grant an account N credits, available at its next call",
    details: [
      "WHEN is a date (2027-01-31: spendable to the end of that day in UTC) or a time with its offset (2027-01-31T12:00:00Z). Without --expires the credits never expire.",
      "Every run makes another grant. With --id the grant has that id, and repeating the command adds nothing.",
    ],
    example: "credits grant you@example.com 500 --expires 2099-12-31",
    parameters: {
      email: positional("<email>"),
      amount: positional("<N>", creditsFrom(1, "The number of credits")),
      expires: option("WHEN", (text, name) => ({ text, at: readEnd(text, name) })),
      id: option("ID", readGrantId),
    },
    check({ expires }, { now }) {
      if (expires === undefined || expires.at > now) return;
      throw new CommandError(
        `--expires ${expires.text} is in the past, so these credits could not be spent. Set a later time.`,
      );
    },
    async run({ amount, expires, ...args }, session) {
      const { client, now } = session;
      const expiresAt = expires?.at ?? null;
      const { account, email } = await accountOf(session, args.email);
      const id = `operator:${args.id ?? randomBase62(16, random)}`;
      const granted = await client.grant({ account, id, kind: "operator", amount, expiresAt, now });
      if (granted.outcome === "no_account") {
        await statusOf(session, account);
        throw new CommandError(`The account of ${email} is closed and cannot get credits.`);
      }
      const { outcome, grant } = granted;
      const isRepeated = outcome === "already_granted";
      if (isRepeated && (grant.amount !== amount || grant.expiresAt !== expiresAt)) {
        throw new CommandError(
          `The grant ${id} already exists, with ${counted(grant.amount, "credit")} and ${expiry(grant)}. Nothing was changed. Use another --id for another grant.`,
        );
      }
      const { balance } = await client.credits({ account, now, max: 0 });
      return {
        json: {
          email,
          id,
          amount,
          expiresAt: instantOrNull(expiresAt),
          granted: !isRepeated,
          balance,
        },
        text: isRepeated
          ? `The grant ${id} already exists. Nothing was added. The balance of ${email} is ${integer(balance)}.\n`
          : `Granted ${counted(amount, "credit")} to ${email}, with ${expiry(grant)}. The balance is ${integer(balance)}.\n`,
      };
    },
  }),
  command({
    name: "credits clawback",
    summary: "Take back unspent credits of a grant, such as one that was made by mistake",
    details: [
      "N is how many credits of the grant are taken back in all, so repeating the command changes nothing, and a later command with a larger N takes back more. Credits that are spent or expired stay as they are: the balance never falls below zero. If a call that the grant paid for is reversed later, its credits are taken back too, up to N.",
      "credits show lists the grants of an account. Without --account the command searches all accounts for the grant.",
      "Credits that were bought are taken back by refunding the payment.",
    ],
    example: "credits clawback operator:H9F1mDaV0qVZTyQB 4500",
    parameters: {
      grant: positional("<grant>"),
      credits: positional("<N>", creditsFrom(1, "The number of credits")),
      account: option("EMAIL"),
    },
    async run({ grant: typed, credits, account: owner }, session) {
      const { client, now } = session;
      const { account, id } = await findGrant(session, typed, owner);
      const clawed = await client.clawback({ account, grant: id, credits, now });
      const { outcome, grant, clawedBack, spent } = clawed;
      if (outcome === "no_grant" || grant === null) throw noSuchGrant(id, session);
      if (outcome === "bought") {
        throw new CommandError(
          `The credits of ${id} were bought. Refund the payment in Stripe, and they are taken back in proportion.`,
        );
      }
      if (outcome === "stale") {
        throw new CommandError(
          `${counted(clawedBack, "credit")} of ${id} are taken back already, which is more. Nothing was changed. N is the number in all; to give credits back, grant them.`,
        );
      }
      const { email } = await client.findOwner({ account });
      const { balance } = await client.credits({ account, now, max: 0 });
      const { amount, remaining } = grant;
      const short =
        clawedBack < Math.min(credits, amount)
          ? ` ${counted(spent, "credit is", "credits are")} spent${spent + clawedBack < amount ? ", and the rest expired" : ""}.`
          : "";
      return {
        json: { email, account, id, amount, clawedBack, spent, remaining, balance },
        text: `${integer(clawedBack)} of the ${counted(amount, "credit")} of ${id} are taken back.${short} The balance of ${email ?? account} is ${integer(balance)}.\n`,
      };
    },
  }),
  command({
    name: "credits show",
    summary: "Show the balance of an account and its grants",
    details: [
      "Grants are listed in the order in which they are spent. Spent and expired grants come last, newest first.",
    ],
    example: "credits show you@example.com",
    parameters: { email: positional("<email>") },
    async run(args, session) {
      const { client, now } = session;
      const { account, email } = await accountOf(session, args.email);
      const { balance } = await client.credits({ account, now, max: 0 });
      const grants = await everyGrant(client, { account, now });
      const rows = grants.map(({ id, kind, amount, remaining, expiresAt }) => [
        id,
        kind,
        amount,
        remaining,
        minute(expiresAt, "never") + (expiresAt !== null && expiresAt <= now ? ", expired" : ""),
      ]);
      const heading = `The balance of ${email} is ${counted(balance, "credit")}.\n`;
      const headings = ["grant", "kind", "amount", "remaining", "expires (UTC)"];
      return {
        json: {
          balance,
          grants: grants.map(({ id, kind, amount, remaining, expiresAt }) =>
            withInstants({ id, kind, amount, remaining, expiresAt }),
          ),
        },
        text: rows.length === 0 ? heading : `${heading}\n${table(headings, rows)}`,
      };
    },
  }),
];

/** Finds the account of a grant: the named one, the one in the id of starter credits, or the only one with such a grant. */
async function findGrant(
  session: Session,
  typed: string,
  owner: string | undefined,
): Promise<{ account: string; id: string }> {
  const ids = [typed, `operator:${typed}`];
  const inId = typed.slice("starter:".length);
  const only = isAccountId(inId) ? inId : undefined;
  const named = owner === undefined ? only : (await accountOf(session, owner)).account;
  if (named !== undefined) {
    const grants = await everyGrant(session.client, { account: named, now: session.now });
    const found = grants.find(({ id }) => ids.includes(id));
    if (found === undefined) throw noSuchGrant(typed, session, owner);
    return { account: named, id: found.id };
  }
  const found = new Map<string, string>();
  const whole = await openWholeLedger(session);
  for await (const grants of whole.grants())
    for (const { account, id } of grants) if (ids.includes(id)) found.set(account, id);
  const [first, second] = found;
  if (first === undefined) throw noSuchGrant(typed, session);
  if (second !== undefined) {
    throw new CommandError(
      `${integer(found.size)} accounts have a grant ${typed}. Name the account, for example --account ${first[0]}.`,
    );
  }
  const [account, id] = first;
  return { account, id };
}

function noSuchGrant(id: string, { place }: Session, owner?: string): CommandError {
  const where = owner === undefined ? place : `the account of ${owner}`;
  const help =
    owner === undefined
      ? `To see all accounts, run ${quotedCommand("account list")}; credits show lists the grants of one.`
      : `To see its grants, run ${quotedCommand("credits show", owner)}.`;
  return new CommandError(`There is no grant ${id} in ${where}. ${help}`);
}

const GRANT_ID_CHARS_MAX = 100;

const expiry = ({ expiresAt }: { expiresAt: number | null }) =>
  expiresAt === null ? "no expiry" : `expiry on ${minute(expiresAt, "")} UTC`;

/** Accepts an id with or without the prefix that `credits show` prints. */
function readGrantId(text: string): string {
  const id = text.replace(/^operator:/, "");
  if (/^[\x21-\x7e]+$/.test(id) && id.length <= GRANT_ID_CHARS_MAX) return id;
  throw new UsageError(`--id must have 1 to ${GRANT_ID_CHARS_MAX} visible ASCII characters.`);
}
