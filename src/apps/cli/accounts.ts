import type * as z from "zod";
import { commandLine } from "#command-line.ts";
import { counted, formatNumber } from "#counted.ts";
import {
  closeAccountForGood,
  createAccount,
  listAccounts,
  resetPasskeys,
  resumeAccount,
  setEmail,
  showAccount,
  suspendAccount,
} from "#operator/accounts.ts";
import { commandOf, defineCommand } from "./command.ts";
import { ACCOUNT_EXPORT } from "./downloads.ts";
import { keyTable } from "./keys.ts";
import { lines, minute, table } from "./text.ts";

type Listed = z.infer<typeof listAccounts.output>;
type Shown = z.infer<typeof showAccount.output>;

export const ACCOUNT_COMMANDS = [
  commandOf(createAccount, {
    details: [
      "Without --credits the account has no credits. It gets no starter credits, but its first call is free.",
    ],
    example: "account create you@example.com --credits 1000",
    positionals: ["email"],
    print: ({ id, email, balance }) =>
      `Created account ${id} for ${email} with ${counted(balance, "credit")}.\nTo create a key for it, run:\n  ${commandLine("key create", email, "--label", "production")}\n`,
  }),
  defineCommand({
    name: listAccounts.name,
    summary: listAccounts.summary,
    details: [
      "With --search the list has only accounts whose address or id contains TEXT. Closed accounts have no email address and are not listed.",
      "With --max the list is a page of at most N accounts. --after EMAIL starts it after that address; in JSON, next is the address for the next page, or null.",
    ],
    example: "account list --search example.com --max 50",
    input: listAccounts.input,
    async run({ connect }, { max, ...input }) {
      const client = connect();
      const { accounts, next: first } = await client.send(listAccounts, { ...input, max });
      let next = first;
      // A response has a part of them.
      while (next !== null && accounts.length < (max ?? Number.MAX_SAFE_INTEGER)) {
        const rest = max === undefined ? {} : { max: max - accounts.length };
        const page: Listed = await client.send(listAccounts, { ...input, ...rest, after: next });
        accounts.push(...page.accounts);
        next = page.next;
      }
      return {
        json: { accounts, ...(max === undefined ? {} : { next }) },
        text: listText(accounts, input) + nextPage(input.search, max, next),
      };
    },
  }),
  commandOf(showAccount, {
    details: [
      "The list of sign-ins has the five newest, with failed ones. The owner does not see that you looked; account export is recorded.",
    ],
    example: "account show you@example.com",
    positionals: ["email"],
    print: showText,
  }),
  commandOf(suspendAccount, {
    example: "account suspend you@example.com",
    positionals: ["email"],
    print: ({ email }) => `The account of ${email} is suspended. Its calls now get 403.\n`,
  }),
  commandOf(resumeAccount, {
    example: "account resume you@example.com",
    positionals: ["email"],
    print: ({ email }) => `The account of ${email} is open. Its calls are accepted again.\n`,
  }),
  ACCOUNT_EXPORT,
  commandOf(setEmail, {
    details: [
      "For users who lost their mailbox. Make sure that you talk to the owner of the account: from then on, codes sent to the new address sign in, and all sessions end. The old address gets an email with a link that undoes it for 72 hours. If the account requires a passkey, it still does.",
    ],
    example: "account set-email you@example.com you@new.example",
    positionals: ["email", "to"],
    print: ({ email, from }) =>
      email === from
        ? `The account already has the address ${email}.\n`
        : `The account of ${from} now has the address ${email}. All sessions ended.\n`,
  }),
  commandOf(resetPasskeys, {
    details: [
      "For users who lost them. Make sure that you talk to the owner of the account: from then on, codes sent to the address of the account sign in. All sessions end.",
    ],
    example: "account reset-passkeys you@example.com",
    positionals: ["email"],
    print: ({ email, passkeys }) =>
      passkeys === 0
        ? `${email} had no passkey. All sessions ended.\n`
        : `Removed ${counted(passkeys, "passkey")} of ${email}. All sessions ended.\n`,
  }),
  commandOf(closeAccountForGood, {
    details: [
      "This closes the account immediately and cannot be undone. It deletes the email address and keeps a keyed hash of it, so that a new account with the same address gets no second free call.",
    ],
    example: "account close you@example.com",
    positionals: ["email"],
    print: ({ forfeited }, { email }) =>
      `Closed the account of ${email}. Its keys no longer work, ${counted(forfeited, "credit was", "credits were")} forfeited, and the address was deleted.\n`,
  }),
];

function listText(
  accounts: Listed["accounts"],
  { search, after }: { search?: string | undefined; after?: string | undefined },
): string {
  const isAll = search === undefined && after === undefined;
  if (accounts.length === 0) return `There are no ${isAll ? "" : "such "}accounts.\n`;
  return table(
    ["email", "id", "state", "credits", "created (UTC)"],
    accounts.map((one) => [
      ...[one.email, one.id, one.state, one.balance, minute(one.createdAt, "")],
    ]),
  );
}

function nextPage(search: string | undefined, max: number | undefined, next: string | null) {
  if (max === undefined || next === null) return "";
  const words = search === undefined ? [] : ["--search", search];
  const page = commandLine("account list", ...words, "--max", String(max), "--after", next);
  return `\nMore accounts follow:\n  ${page}\n`;
}

const FREE_CALL = {
  open: "not used yet",
  used: "used",
  withheld: "none: the address had an account before",
};

const STARTER: Record<NonNullable<Shown["starter"]>["outcome"], string> = {
  granted: "granted",
  address_used: "none: another account of this person had them",
  disposable: "none: the address is from a disposable provider",
  network_full: "none: the budget of the network for that day was exhausted",
  day_full: "none: the budget of that day was exhausted",
};

function showText(shown: Shown): string {
  const { nextExpiry, plan, balance, held = 0, starter, owner, keys, prices } = shown;
  const expiry =
    nextExpiry === null
      ? ""
      : `, of which ${formatNumber(nextExpiry.credits)} expire on ${minute(nextExpiry.at, "")}`;
  const facts = lines([
    ["email", shown.email],
    ["account", shown.id],
    ["state", shown.state],
    ["created", minute(shown.createdAt, "")],
    ["plan", plan === "lifetime" ? "lifetime: credits do not expire" : plan],
    ["balance", `${counted(balance, "credit")}${expiry}`],
    ...(held === 0 ? [] : [["held", `${counted(held, "credit")}, by running calls`] as const]),
    ["free call", FREE_CALL[shown.freeCall]],
    ["starter credits", starter === null ? "never asked for" : STARTER[starter.outcome]],
    ["owner", ownerText(owner)],
    ...(owner === null ? [] : [["sessions", formatNumber(owner.sessions)] as const]),
  ]);
  const signIns = owner?.signIns ?? [];
  return [
    facts,
    keys.length === 0 ? "\nNo keys.\n" : `\n${keyTable(keys, null)}`,
    prices.length === 0 ? "" : `\n${priceTable(prices)}`,
    signIns.length === 0 ? "" : `\n${signInTable(signIns)}`,
  ].join("");
}

function ownerText(owner: Shown["owner"]): string {
  if (owner === null) return "nobody has signed up with this address";
  const { createdAt, logins, passkeys, requiresPasskey } = owner;
  const own = passkeys === 0 ? [] : [counted(passkeys, "passkey")];
  // Codes and providers do not sign in to an account that requires a passkey.
  const ways = requiresPasskey ? [`${own} only`] : ["codes by email", ...logins, ...own];
  return `signed up ${minute(createdAt, "")}; ${ways.join(", ")}`;
}

const priceTable = (prices: Shown["prices"]) =>
  table(
    ["tool", "own price"],
    prices.map(({ tool, credits }) => [tool, formatNumber(credits)]),
  );

const signInTable = (signIns: NonNullable<Shown["owner"]>["signIns"]) =>
  table(
    ["sign-in (UTC)", "kind", "from", "browser"],
    signIns.map(({ at, kind, times, address, browser }) => [
      minute(at, ""),
      `${kind.replaceAll("_", " ")}${times > 1 ? ` (${times} times)` : ""}`,
      address ?? "",
      browser ?? "",
    ]),
  );
