import { readEmail } from "#accounts/accounts.ts";
import { commandLine, quotedCommand } from "#command-line.ts";
import { newAccountId, randomBase62 } from "#ids.ts";
import { random } from "../node/runtime.ts";
import { creditsFrom, integerFrom } from "./arguments.ts";
import {
  type Command,
  CommandError,
  flag,
  type Outcome,
  option,
  optionalPositional,
  positional,
  type Session,
} from "./command.ts";
import { accountOf, command, logNotification, statusOf } from "./deployment.ts";
import { addressPage, statusesOf } from "./lists.ts";
import { counted, minute, table, withInstants } from "./text.ts";

const PAGE_MAX = 100_000;

export const ACCOUNT_COMMANDS: readonly Command[] = [
  command({
    name: "account create",
    summary: "Create a verified account with N credits that never expire",
    details: [
      "Without --credits the account has no credits. It gets no starter credits, but its first call is free. If there is no data yet in DATA_DIR or DATABASE_URL, the command creates it.",
    ],
    example: "account create you@example.com --credits 1000",
    parameters: {
      email: positional("<email>", readEmail),
      credits: option("N", creditsFrom(0)),
    },
    canCreate: true,
    async run({ email, credits: amount = 0 }, session) {
      const { client, now, log } = session;
      await rejectExisting(session, email);
      const credits =
        amount === 0 ? null : { grant: `operator:${randomBase62(16, random)}`, amount };
      const order = { account: newAccountId(random), email, now, credits };
      const { account } = await client.openAccount(order);
      const { balance, freeCall } = await statusOf(session, account);
      if (freeCall === "withheld")
        log("This address had an account that was closed. The new account has no free call.");
      return {
        json: { id: account, email, balance },
        text: `Created account ${account} for ${email} with ${counted(balance, "credit")}.\nTo create a key for it, run:\n  ${commandLine("key create", email, "--label", "production")}\n`,
      };
    },
  }),
  command({
    name: "account list",
    summary: "List accounts with their state and balance, in the order of their addresses",
    details: [
      "With --search the list has only accounts whose address or id contains TEXT. Closed accounts have no email address and are not listed.",
      "With --max the list is a page of at most N accounts. --after EMAIL starts it after that address; in JSON, next is the address for the next page, or null.",
    ],
    example: "account list --search example.com --max 50",
    parameters: {
      search: option("TEXT"),
      max: option("N", integerFrom(1, PAGE_MAX)),
      after: option("EMAIL"),
    },
    async run({ search = "", max = null, after = null }, { client, now, log }) {
      const accounts = [];
      const { addresses, next } = await addressPage(client, {
        search,
        max,
        after: after?.toLowerCase() ?? null,
      });
      for await (const { email, account: id, createdAt, status } of statusesOf(
        client,
        addresses,
        now,
      )) {
        if ("moving" in status) {
          log(status.moving);
          accounts.push({ id, email, state: "moving", balance: null, createdAt });
        } else if (status.result !== null) {
          const { state, balance, createdAt } = status.result;
          accounts.push({ id, email, state, balance, createdAt });
        }
      }
      const rows = accounts.map((one) => [
        one.email,
        one.id,
        one.state,
        one.balance ?? "",
        minute(one.createdAt, ""),
      ]);
      const head = ["email", "id", "state", "credits", "created (UTC)"];
      const none = search === "" && after === null;
      return {
        json: { accounts: accounts.map(withInstants), ...(max === null ? {} : { next }) },
        text:
          rows.length === 0
            ? `There are no ${none ? "" : "such "}accounts.\n`
            : `${table(head, rows)}${nextPage(search, max, next)}`,
      };
    },
  }),
  command({
    name: "account show",
    summary: "Show an account: state, balance, plan, keys, and how its owner signs in",
    details: [
      "The list of sign-ins has the five newest, with failed ones. The owner does not see that you looked; account export is recorded.",
    ],
    example: "account show you@example.com",
    parameters: { email: positional("<email>") },
    // Imported here because few commands need it.
    run: async ({ email }, session) =>
      (await import("./account-show.ts")).showAccount(email, session),
  }),
  command({
    name: "account suspend",
    summary: "Reject all calls of an account with 403 until you resume the account",
    example: "account suspend you@example.com",
    parameters: { email: positional("<email>") },
    run: ({ email }, session) =>
      setState(session, email, "suspendAccount", "is suspended. Its calls now get 403."),
  }),
  command({
    name: "account resume",
    summary: "Accept calls of a suspended account again",
    example: "account resume you@example.com",
    parameters: { email: positional("<email>") },
    run: ({ email }, session) =>
      setState(session, email, "resumeAccount", "is open. Its calls are accepted again."),
  }),
  command({
    name: "account export",
    summary: "Export everything that is stored about an account's owner, as one JSON document",
    details: [
      "It has the profile, logins, sessions, keys, grants, purchases, usage by hour and the activity list, but no hashes and no secrets. With a file it is written there, otherwise printed. --entries FILE also writes every ledger entry as JSON lines. --force replaces existing files.",
      "The owner sees in the activity list that the operator exported the data.",
    ],
    example: "account export you@example.com you.json --entries you-entries.jsonl",
    parameters: {
      email: positional("<email>"),
      file: optionalPositional("[file]"),
      entries: option("FILE"),
      force: flag,
    },
    // Imported here because few commands need it.
    run: async (args, session) =>
      (await import("./account-export.ts")).exportAccount(args, session),
  }),
  command({
    name: "account set-email",
    summary: "Give an account another email address",
    details: [
      "For users who lost their mailbox. Make sure that you talk to the owner of the account: from then on, codes sent to the new address sign in, and all sessions end. The old address gets an email with a link that undoes it for 72 hours. If the account demands its passkey, it still does.",
    ],
    example: "account set-email you@example.com you@new.example",
    parameters: { email: positional("<email>"), to: positional("<new email>") },
    async run(args, session) {
      const { client, now } = session;
      const { email, account: id } = await accountOf(session, args.email);
      const to = args.to.trim().toLowerCase();
      const { outcome, notified } = await client.setEmail({ account: id, from: email, to, now });
      if (outcome === "taken") throw new CommandError(`Another account has ${to}.`);
      if (outcome === "no_account") throw new CommandError(`There is no account for ${email}.`);
      logNotification(session, notified);
      return {
        json: { id, email: to, from: email },
        text:
          outcome === "unchanged"
            ? `The account has the address ${email} already.\n`
            : `The account of ${email} now has the address ${to}. All sessions ended.\n`,
      };
    },
  }),
  command({
    name: "account reset-passkeys",
    summary: "Remove all passkeys of a user",
    details: [
      "For users who lost them. Make sure that you talk to the owner of the account: from then on, codes sent to the address of the account sign in. All sessions end.",
    ],
    example: "account reset-passkeys you@example.com",
    parameters: { email: positional("<email>") },
    async run(args, session) {
      const { client, now } = session;
      const { email, account: id } = await accountOf(session, args.email);
      const { found, passkeys, notified } = await client.resetPasskeys({ account: id, now });
      if (!found) throw new CommandError(`Nobody has signed up for the account of ${email}.`);
      logNotification(session, notified);
      return {
        json: { id, email, passkeys },
        text:
          passkeys === 0
            ? `${email} had no passkey. All sessions ended.\n`
            : `Removed ${counted(passkeys, "passkey")} of ${email}. All sessions ended.\n`,
      };
    },
  }),
  command({
    name: "account close",
    summary: "Close an account permanently, with its keys and credits",
    details: [
      "This closes the account immediately and cannot be undone. It deletes the email address and keeps a keyed hash of it, so that a new account with the same address gets no second free call.",
    ],
    example: "account close you@example.com",
    parameters: { email: positional("<email>") },
    async run(args, session) {
      const { client, now } = session;
      const { email, account: id } = await accountOf(session, args.email);
      const { forfeited, notified } = await client.closeAccount({ account: id, email, now });
      logNotification(session, notified);
      return {
        json: { id, email, state: "closed", forfeited },
        text: `Closed the account of ${email}. Its keys no longer work, ${counted(forfeited, "credit was", "credits were")} forfeited, and the address was deleted.\n`,
      };
    },
  }),
];

function nextPage(search: string, max: number | null, next: string | null): string {
  if (max === null || next === null) return "";
  const words = search === "" ? [] : ["--search", search];
  const page = commandLine("account list", ...words, "--max", String(max), "--after", next);
  return `\nMore accounts follow:\n  ${page}\n`;
}

/** Checked first to give a better message. The directory itself accepts only one of two concurrent orders. */
async function rejectExisting({ client, now }: Session, email: string): Promise<void> {
  const found = await client.findAddress({ email });
  if (found === null) return;
  // If creating an account was interrupted, its address has no account yet and the creation may continue.
  if ((await client.findAccount({ account: found.account, now })) === null) return;
  throw new CommandError(
    `${email} already has an account. To add credits to it, run for example ${quotedCommand("credits grant", email, "100")}.`,
  );
}

async function setState(
  session: Session,
  address: string,
  operation: "suspendAccount" | "resumeAccount",
  result: string,
): Promise<Outcome> {
  const { client, now } = session;
  const { account, email } = await accountOf(session, address);
  const { found } = await client[operation]({ account, now });
  const { state } = await statusOf(session, account);
  if (!found) {
    throw new CommandError(
      `The account of ${email} was closed, but its address was not deleted. To complete that, run ${quotedCommand("account close", email)}.`,
    );
  }
  return { json: { id: account, email, state }, text: `The account of ${email} ${result}\n` };
}
