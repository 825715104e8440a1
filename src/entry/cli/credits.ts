import { randomBase62 } from "#ids.ts";
import { random } from "../node-house.ts";
import { accountOf } from "./accounts.ts";
import { creditsFrom, readEnd } from "./arguments.ts";
import {
  type Call,
  type Command,
  command,
  type Outcome,
  option,
  Refusal,
  WrongUsage,
  word,
} from "./command.ts";
import { statusOf, withDeployment } from "./deployment.ts";
import { counted, instantOrNull, minute, table, whole } from "./text.ts";

/** `credits …`: giving credits and looking at them. */
export const CREDITS_COMMANDS: readonly Command[] = [
  command({
    name: "credits grant",
    summary: "Give an account N credits; they count at its next call",
    details: [
      "WHEN is a day (2027-01-31: spendable to the end of that day in UTC) or an instant with its offset (2027-01-31T12:00:00Z). Without it the credits never expire.",
      "Every call grants anew. With --id the grant has that name and is made once, however often the command is repeated.",
    ],
    example: "credits grant you@example.com 500 --expires 2099-12-31",
    takes: {
      email: word("<email>"),
      amount: word("<N>", creditsFrom(1, "The number of credits")),
      expires: option("WHEN", (text, name) => ({ text, at: readEnd(text, name) })),
      id: option("ID", readGrantId),
    },
    run: grant,
  }),
  command({
    name: "credits show",
    summary: "Show the balance of an account and its grants",
    details: [
      "Grants stand in the order in which they are spent; spent and expired ones come last.",
    ],
    example: "credits show you@example.com",
    takes: { email: word("<email>") },
    run: show,
  }),
];

const GRANT_ID_CHARS_MAX = 100;

type GrantGiven = {
  email: string;
  amount: number;
  expires: { text: string; at: number } | undefined;
  id: string | undefined;
};

async function grant(call: Call, given: GrantGiven): Promise<Outcome> {
  const { amount, expires } = given;
  const expiresAt = expires?.at ?? null;
  if (expiresAt !== null && expiresAt <= call.now) {
    throw new Refusal(
      `--expires ${expires?.text} is in the past: these credits could never be spent. Name a later time.`,
    );
  }
  return withDeployment(call, async (deployment) => {
    const { account, email } = await accountOf(deployment, given.email);
    const id = `operator:${given.id ?? randomBase62(16, random)}`;
    const made = await deployment.client.grant({
      account,
      id,
      kind: "operator",
      amount,
      expiresAt,
      now: call.now,
    });
    if (made.outcome === "no_account") {
      await statusOf(call, deployment, account);
      throw new Refusal(`The account of ${email} is closed: it takes no credits.`);
    }
    const again = made.outcome === "already_granted";
    if (again && (made.grant.amount !== amount || made.grant.expiresAt !== expiresAt)) {
      throw new Refusal(
        `The grant ${id} was made before, with ${counted(made.grant.amount, "credit")} and ${expiry(made.grant)}; it is left as it is. Use another --id for another grant.`,
      );
    }
    const { balance } = await deployment.client.credits({ account, now: call.now });
    return {
      json: { email, id, amount, expiresAt: instantOrNull(expiresAt), granted: !again, balance },
      text: again
        ? `The grant ${id} was made before; nothing was added. The balance of ${email} is ${whole(balance)}.\n`
        : `${email} was given ${counted(amount, "credit")}, with ${expiry(made.grant)}. The balance is ${whole(balance)}.\n`,
    };
  });
}

const expiry = ({ expiresAt }: { expiresAt: number | null }) =>
  expiresAt === null ? "no expiry" : `expiry on ${minute(expiresAt, "")} UTC`;

/** With or without the prefix that `credits show` shows. */
function readGrantId(text: string): string {
  const id = text.replace(/^operator:/, "");
  if (/^[\x21-\x7e]+$/.test(id) && id.length <= GRANT_ID_CHARS_MAX) return id;
  throw new WrongUsage(`--id must have 1 to ${GRANT_ID_CHARS_MAX} visible ASCII characters.`);
}

async function show(call: Call, given: { email: string }): Promise<Outcome> {
  return withDeployment(call, async (deployment) => {
    const { account, email } = await accountOf(deployment, given.email);
    const { balance, grants } = await deployment.client.credits({ account, now: call.now });
    const rows = grants.map((one) => [
      one.id,
      one.kind,
      one.amount,
      one.remaining,
      minute(one.expiresAt, "never") +
        (one.expiresAt !== null && one.expiresAt <= call.now ? ", expired" : ""),
    ]);
    const heading = `The balance of ${email} is ${counted(balance, "credit")}.\n`;
    return {
      json: {
        balance,
        grants: grants.map(({ id, kind, amount, remaining, expiresAt }) => ({
          id,
          kind,
          amount,
          remaining,
          expiresAt: instantOrNull(expiresAt),
        })),
      },
      text:
        heading +
        (rows.length === 0
          ? ""
          : `\n${table(["grant", "kind", "amount", "remaining", "expires (UTC)"], rows)}`),
    };
  });
}
