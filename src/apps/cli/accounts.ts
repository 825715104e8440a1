import { readEmail } from "#accounts/people.ts";
import { newAccountId, randomBase62 } from "#ids.ts";
import { random } from "../node/app-context.ts";
import { creditsFrom } from "./arguments.ts";
import { type Command, type Outcome, ProblemDetails } from "./command.ts";
import { command, type Session } from "./define-command.ts";
import { accountOf, recordNotified, statusOf } from "./deployment.ts";
import { everyStatus } from "./lists.ts";
import { option, word } from "./takes.ts";
import { counted, minute, table, withInstants } from "./text.ts";

/** `account …`: accounts as the operator makes and stops them. */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  command({
    name: "account create",
    summary: "Make an account, verified, with N credits that never expire",
    details: [
      "Without --credits it starts with none; its first call is free either way. It gets no starter credits. Where there is no data yet, in DATA_DIR or in the PostgreSQL of DATABASE_URL, this makes it.",
    ],
    example: "account create you@example.com --credits 1000",
    takes: { email: word("<email>", readEmail), credits: option("N", creditsFrom(0)) },
    creates: true,
    async run({ email, credits: amount = 0 }, session) {
      const { client, now, note } = session;
      await refuseTaken(session, email);
      const credits =
        amount === 0 ? null : { grant: `operator:${randomBase62(16, random)}`, amount };
      const order = { account: newAccountId(random), email, now, credits };
      const { account } = await client.openAccount(order);
      const { balance, freeCall } = await statusOf(session, account);
      if (freeCall === "withheld")
        note("This address had an account before, which was closed: the new one has no free call.");
      return {
        json: { id: account, email, balance },
        text: `The account ${account} for ${email} is open, with ${counted(balance, "credit")}.\nMake a key for it: key create ${email} --label production\n`,
      };
    },
  }),
  command({
    name: "account list",
    summary: "List the accounts with their state and balance",
    details: ["Closed accounts have no address any more and are not listed."],
    example: "account list",
    takes: {},
    async run(_, { client, now, note }) {
      const accounts = [];
      for await (const { email, account: id, createdAt, asked } of everyStatus(client, now)) {
        if ("moved" in asked) {
          note(asked.moved);
          accounts.push({ id, email, state: "moving", balance: null, createdAt });
        } else if (asked.result !== null) {
          const { state, balance, createdAt } = asked.result;
          accounts.push({ id, email, state, balance, createdAt });
        }
      }
      const rows = accounts.map((one) => [
        ...[one.email, one.id, one.state, one.balance ?? "", minute(one.createdAt, "")],
      ]);
      return {
        json: { accounts: accounts.map(withInstants) },
        text:
          rows.length === 0
            ? "There are no accounts.\n"
            : table(["e-mail", "id", "state", "credits", "made (UTC)"], rows),
      };
    },
  }),
  command({
    name: "account suspend",
    summary: "Refuse the calls of an account (403) until it is resumed",
    example: "account suspend you@example.com",
    takes: { email: word("<email>") },
    run: ({ email }, session) =>
      setState(
        session,
        email,
        "suspendAccount",
        "suspended: its calls are refused with 403 from now on",
      ),
  }),
  command({
    name: "account resume",
    summary: "Take the calls of a suspended account again",
    example: "account resume you@example.com",
    takes: { email: word("<email>") },
    run: ({ email }, session) =>
      setState(session, email, "resumeAccount", "open: its calls are taken again"),
  }),
  command({
    name: "account close",
    summary: "Close an account for good: keys, credits and address go",
    details: [
      "It acts at once and cannot be undone. Of the address only a keyed hash stays, so that another account of its owner brings no second free call.",
    ],
    example: "account close you@example.com",
    takes: { email: word("<email>") },
    async run(given, session) {
      const { client, now } = session;
      const { email, account: id } = await accountOf(session, given.email);
      const { forfeited, told } = await client.closeAccount({ account: id, email, now });
      recordNotified(session, told);
      return {
        json: { id, email, state: "closed", forfeited },
        text: `The account of ${email} is closed. Its keys are dead, ${counted(forfeited, "credit was", "credits were")} forfeited, its address is forgotten.\n`,
      };
    },
  }),
];

/** Asked before anything is made, for the better sentence; of two at the same moment one gets through. */
async function refuseTaken({ client, now }: Session, email: string): Promise<void> {
  const found = await client.findAddress({ email });
  if (found === null) return;
  // One whose making broke off is completed.
  if ((await client.findAccount({ account: found.account, now })) === null) return;
  throw new ProblemDetails(
    `There is an account for ${email} already. To give it credits: credits grant ${email} N.`,
  );
}

async function setState(
  session: Session,
  address: string,
  act: "suspendAccount" | "resumeAccount",
  said: string,
): Promise<Outcome> {
  const { client, now } = session;
  const { account, email } = await accountOf(session, address);
  const { found } = await client[act]({ account, now });
  const { state } = await statusOf(session, account);
  if (!found)
    throw new ProblemDetails(
      `The account of ${email} is closed for good. Finish with account close ${email}.`,
    );
  return { json: { id: account, email, state }, text: `The account of ${email} is ${said}.\n` };
}
