import { readEmail } from "#accounts/people.ts";
import { newAccountId, randomBase62 } from "#ids.ts";
import { readCredits } from "./cli-arguments.ts";
import { type Books, noteTold, standingOf, withBooks } from "./cli-books.ts";
import { type Call, type Command, type Outcome, Refusal } from "./cli-command.ts";
import { everyAddress } from "./cli-lists.ts";
import { eachAtOnce } from "./cli-parallel.ts";
import { unlessMoved } from "./cli-remote-faults.ts";
import { counted, instant, minute, table } from "./cli-text.ts";

/** `account …`: accounts as the operator makes and stops them. */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  {
    name: "account create",
    form: "<email> [--credits N]",
    summary: "Make an account, verified, with N credits that never expire",
    details: [
      "Without --credits it starts with none; its first call is free either way. It gets no starter credits. Where there is no data yet, in DATA_DIR or in the PostgreSQL of DATABASE_URL, this makes it.",
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
  { desk, place }: Books,
  text: string,
): Promise<{ email: string; account: string }> {
  const email = readEmail(text);
  const found = await desk.findAddress({ email });
  if (found !== null) return found;
  throw new Refusal(
    `There is no account for ${email} in ${place}: it was never made, or it is closed. See account list, or make it with account create.`,
  );
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
      const { account } = await books.desk.openAccount({
        ...{ account: newAccountId(books.random), email, now: call.now },
        credits:
          credits === 0
            ? null
            : { grant: `operator:${randomBase62(16, books.random)}`, amount: credits },
      });
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
async function isTaken({ now }: Call, { desk }: Books, email: string): Promise<boolean> {
  const found = await desk.findAddress({ email });
  return found !== null && (await desk.findAccount({ account: found.account, now })) !== null;
}

async function list(call: Call): Promise<Outcome> {
  return withBooks(call, async ({ desk }) => {
    const accounts = [];
    const standings = eachAtOnce(everyAddress(desk), async (address) => ({
      ...address,
      asked: await unlessMoved(desk.findAccount({ account: address.account, now: call.now })),
    }));
    for await (const { email, account: id, createdAt, asked } of standings) {
      if ("moved" in asked) {
        call.note(asked.moved);
        accounts.push({ id, email, state: "moving", balance: null, createdAt });
      } else if (asked.result !== null) {
        const { state, balance, createdAt } = asked.result;
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
    const { account, email } = await accountOf(books, call.words[0] as string);
    const { found } = await books.desk[act]({ account, now: call.now });
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
    const { email, account: id } = await accountOf(books, call.words[0] as string);
    const order = { account: id, email, now: call.now };
    const { account, forfeited, told } = await books.desk.closeAccount(order);
    noteTold(call, books, told);
    return {
      json: { id: account, email, state: "closed", forfeited },
      text: `The account of ${email} is closed. Its keys are dead, ${counted(forfeited, "credit was", "credits were")} forfeited, its address is forgotten.\n`,
    };
  });
}
