import { readEmail } from "#accounts/people.ts";
import { newAccountId, randomBase62 } from "#ids.ts";
import { random } from "../node-house.ts";
import { creditsFrom } from "./arguments.ts";
import {
  type Call,
  type Command,
  command,
  type Outcome,
  option,
  Refusal,
  word,
} from "./command.ts";
import { type Deployment, noteTold, statusOf, withDeployment } from "./deployment.ts";
import { everyStatus } from "./lists.ts";
import { counted, instant, minute, table } from "./text.ts";

/** `account …`: accounts as the operator makes and stops them. */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  command({
    name: "account create",
    summary: "Make an account, verified, with N credits that never expire",
    details: [
      "Without --credits it starts with none; its first call is free either way. It gets no starter credits. Where there is no data yet, in DATA_DIR or in the PostgreSQL of DATABASE_URL, this makes it.",
    ],
    example: "account create you@example.com --credits 1000",
    takes: { email: word("<email>"), credits: option("N", creditsFrom(0)) },
    run: create,
  }),
  command({
    name: "account list",
    summary: "List the accounts with their state and balance",
    details: ["Closed accounts have no address any more and are not listed."],
    example: "account list",
    takes: {},
    run: list,
  }),
  command({
    name: "account suspend",
    summary: "Refuse the calls of an account (403) until it is resumed",
    example: "account suspend you@example.com",
    takes: { email: word("<email>") },
    run: suspend,
  }),
  command({
    name: "account resume",
    summary: "Take the calls of a suspended account again",
    example: "account resume you@example.com",
    takes: { email: word("<email>") },
    run: resume,
  }),
  command({
    name: "account close",
    summary: "Close an account for good: keys, credits and address go",
    details: [
      "It acts at once and cannot be undone. Of the address only a keyed hash stays, so that another account of its owner brings no second free call.",
    ],
    example: "account close you@example.com",
    takes: { email: word("<email>") },
    run: close,
  }),
];

/** The account of an address, or a refusal that says what the operator can do. */
export async function accountOf(
  { client, place }: Deployment,
  text: string,
): Promise<{ email: string; account: string }> {
  const email = readEmail(text);
  const found = await client.findAddress({ email });
  if (found !== null) return found;
  throw new Refusal(
    `There is no account for ${email} in ${place}: it was never made, or it is closed. See account list, or make it with account create.`,
  );
}

type OfAddress = { email: string };

async function create(
  call: Call,
  given: OfAddress & { credits: number | undefined },
): Promise<Outcome> {
  const email = readEmail(given.email);
  const { now } = call;
  const open = async (deployment: Deployment): Promise<Outcome> => {
    const { client } = deployment;
    if (await isTaken(call, deployment, email)) {
      throw new Refusal(
        `There is an account for ${email} already. To give it credits: credits grant ${email} N.`,
      );
    }
    const amount = given.credits ?? 0;
    const credits = amount === 0 ? null : { grant: `operator:${randomBase62(16, random)}`, amount };
    const order = { account: newAccountId(random), email, now, credits };
    const { account } = await client.openAccount(order);
    const { balance, freeCall } = await statusOf(call, deployment, account);
    if (freeCall === "withheld") {
      call.note(
        "This address had an account before, which was closed: the new one has no free call.",
      );
    }
    return {
      json: { id: account, email, balance },
      text: `The account ${account} for ${email} is open, with ${counted(balance, "credit")}.\nMake a key for it: key create ${email} --label production\n`,
    };
  };
  return withDeployment(call, open, { create: true });
}

/** Asked before anything is made, for the better sentence; of two at the same moment one gets through. */
async function isTaken({ now }: Call, { client }: Deployment, email: string): Promise<boolean> {
  const found = await client.findAddress({ email });
  return found !== null && (await client.findAccount({ account: found.account, now })) !== null;
}

async function list(call: Call): Promise<Outcome> {
  return withDeployment(call, async ({ client }) => {
    const accounts = [];
    for await (const { email, account: id, createdAt, asked } of everyStatus(client, call.now)) {
      if ("moved" in asked) {
        call.note(asked.moved);
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
      json: { accounts: accounts.map((one) => ({ ...one, createdAt: instant(one.createdAt) })) },
      text:
        rows.length === 0
          ? "There are no accounts.\n"
          : table(["e-mail", "id", "state", "credits", "made (UTC)"], rows),
    };
  });
}

function suspend(call: Call, given: OfAddress): Promise<Outcome> {
  const said = "suspended: its calls are refused with 403 from now on";
  return setState(call, given, "suspendAccount", said);
}

function resume(call: Call, given: OfAddress): Promise<Outcome> {
  return setState(call, given, "resumeAccount", "open: its calls are taken again");
}

async function setState(
  call: Call,
  given: OfAddress,
  act: "suspendAccount" | "resumeAccount",
  said: string,
): Promise<Outcome> {
  return withDeployment(call, async (deployment) => {
    const { account, email } = await accountOf(deployment, given.email);
    const { found } = await deployment.client[act]({ account, now: call.now });
    const { state } = await statusOf(call, deployment, account);
    if (!found)
      throw new Refusal(
        `The account of ${email} is closed for good. Finish with account close ${email}.`,
      );
    return { json: { id: account, email, state }, text: `The account of ${email} is ${said}.\n` };
  });
}

async function close(call: Call, given: OfAddress): Promise<Outcome> {
  return withDeployment(call, async (deployment) => {
    const { email, account: id } = await accountOf(deployment, given.email);
    const order = { account: id, email, now: call.now };
    const { account, forfeited, told } = await deployment.client.closeAccount(order);
    noteTold(call, deployment, told);
    return {
      json: { id: account, email, state: "closed", forfeited },
      text: `The account of ${email} is closed. Its keys are dead, ${counted(forfeited, "credit was", "credits were")} forfeited, its address is forgotten.\n`,
    };
  });
}
