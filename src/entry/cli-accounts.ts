import { closeAccount, openAccount, readEmail } from "#accounts/people.ts";
import type { AccountStanding } from "#credits/ledger.ts";
import { randomBase62 } from "#ids.ts";
import { readCredits } from "./cli-arguments.ts";
import {
  type Books,
  type Call,
  type Command,
  type Outcome,
  Refusal,
  withBooks,
} from "./cli-command.ts";
import { personToTell } from "./cli-person.ts";
import { counted, instant, minute, table } from "./cli-text.ts";

/** `account …`: accounts as the operator makes and stops them. */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  {
    name: "account create",
    form: "<email> [--credits N]",
    summary: "Make an account, verified, with N credits that never expire",
    details: [
      "Without --credits it starts with none; its first call is free either way. It gets no starter credits. On an empty data folder this makes the database.",
    ],
    example: "account create you@example.com --credits 1000",
    words: ["<email>"],
    options: { credits: { type: "string" } },
    run: create,
  },
  {
    name: "account list",
    form: "",
    summary: "List the accounts with their state and balance",
    details: ["Closed accounts have no address any more and are not listed."],
    example: "account list",
    words: [],
    run: list,
  },
  {
    name: "account suspend",
    form: "<email>",
    summary: "Refuse the calls of an account (403) until it is resumed",
    example: "account suspend you@example.com",
    words: ["<email>"],
    run: suspend,
  },
  {
    name: "account resume",
    form: "<email>",
    summary: "Take the calls of a suspended account again",
    example: "account resume you@example.com",
    words: ["<email>"],
    run: resume,
  },
  {
    name: "account close",
    form: "<email>",
    summary: "Close an account for good: keys, credits and address go",
    details: [
      "It acts at once and cannot be undone. Of the address only a keyed hash stays, so that another account of its owner brings no second free call.",
    ],
    example: "account close you@example.com",
    words: ["<email>"],
    run: close,
  },
];

/** The account of an address, or a refusal that says what the operator can do. */
export async function accountOf(
  call: Call,
  books: Books,
  text: string,
): Promise<{ email: string; account: string }> {
  const email = readEmail(text);
  const found = await books.directory.findByEmail({ email });
  if (found !== null) return found;
  throw new Refusal(
    `There is no account for ${email} in ${call.config.dataDir}: it was never made, or it is closed. See account list, or make it with account create.`,
  );
}

/** An account as the ledger knows it; an address whose account never came into being is no account yet. */
export async function standingOf(
  call: Call,
  books: Books,
  account: string,
): Promise<AccountStanding> {
  const standing = await books.ledger.findAccount({ account, now: call.now });
  if (standing !== null) return standing;
  throw new Refusal("The making of this account was interrupted. Run account create for it again.");
}

async function create(call: Call): Promise<Outcome> {
  const email = readEmail(call.words[0] as string);
  const credits = readCredits(call.option("credits") ?? "0", "--credits", 0);
  return withBooks(
    call,
    async (books) => {
      if (await isTaken(call, books, email)) {
        throw new Refusal(
          `There is an account for ${email} already. To give it credits: credits grant ${email} N.`,
        );
      }
      const { account } = await openAccount(await books.desk(), email, call.now);
      if (credits > 0) {
        const id = `operator:${randomBase62(16, books.random)}`;
        await books.ledger.grant({
          account,
          id,
          kind: "operator",
          amount: credits,
          expiresAt: null,
          now: call.now,
        });
      }
      const { balance, freeCall } = await standingOf(call, books, account);
      if (freeCall === "withheld") {
        call.note(
          "This address had an account before, which was closed: the new one has no free call.",
        );
      }
      return {
        json: { id: account, email, balance },
        text: `The account ${account} for ${email} is open, with ${counted(balance, "credit")}.\nMake a key for it: key create ${email} --label production\n`,
      };
    },
    { create: true },
  );
}

/** Asked before anything is made, for the better sentence; of two at the same moment the desk lets one through. */
async function isTaken(call: Call, books: Books, email: string): Promise<boolean> {
  const found = await books.directory.findByEmail({ email });
  return (
    found !== null &&
    (await books.ledger.findAccount({ account: found.account, now: call.now })) !== null
  );
}

const PAGE = 500;

async function list(call: Call): Promise<Outcome> {
  return withBooks(call, async ({ directory, ledger }) => {
    const accounts = [];
    for (let after: string | null = null; ; ) {
      const page = await directory.listAddresses({ after, max: PAGE });
      for (const { email, account } of page) {
        const found = await ledger.findAccount({ account, now: call.now });
        if (found === null) continue;
        const { state, balance, createdAt } = found;
        accounts.push({ id: account, email, state, balance, createdAt });
      }
      if (page.length < PAGE) break;
      after = page.at(-1)?.email ?? null;
    }
    const rows = accounts.map((one) => [
      one.email,
      one.id,
      one.state,
      one.balance,
      minute(one.createdAt, ""),
    ]);
    return {
      json: { accounts: accounts.map((one) => ({ ...one, createdAt: instant(one.createdAt) })) },
      text:
        rows.length === 0
          ? "There are no accounts.\n"
          : table(["e-mail", "id", "state", "credits", "made (UTC)"], rows),
    };
  });
}

async function suspend(call: Call): Promise<Outcome> {
  return setState(call, "suspendAccount", "suspended: its calls are refused with 403 from now on");
}

async function resume(call: Call): Promise<Outcome> {
  return setState(call, "resumeAccount", "open: its calls are taken again");
}

async function setState(
  call: Call,
  act: "suspendAccount" | "resumeAccount",
  said: string,
): Promise<Outcome> {
  return withBooks(call, async (books) => {
    const { account, email } = await accountOf(call, books, call.words[0] as string);
    const { found } = await books.ledger[act]({ account, now: call.now });
    const { state } = await standingOf(call, books, account);
    if (!found)
      throw new Refusal(
        `The account of ${email} is closed for good. Finish with account close ${email}.`,
      );
    return { json: { id: account, email, state }, text: `The account of ${email} is ${said}.\n` };
  });
}

async function close(call: Call): Promise<Outcome> {
  return withBooks(call, async (books) => {
    const { email, account: id } = await accountOf(call, books, call.words[0] as string);
    const tellPerson = personToTell(call, books, id);
    const { account, forfeited } = await closeAccount(await books.desk(), email, call.now);
    await tellPerson({ kind: "account_closed" });
    return {
      json: { id: account, email, state: "closed", forfeited },
      text: `The account of ${email} is closed. Its keys are dead, ${counted(forfeited, "credit was", "credits were")} forfeited, its address is forgotten.\n`,
    };
  });
}
