import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT_COMMANDS } from "#apps/cli/accounts.ts";
import type { Invocation } from "#apps/cli/command.ts";
import { table } from "#apps/cli/text.ts";
import { listAccounts } from "#operator/accounts.ts";
import type { OperatorContext } from "#operator/context.ts";

/** A list of accounts that is longer than a response. */

const COUNT = 2_500;
const addresses = Array.from({ length: COUNT }, (_, at) => ({
  email: `user-${String(at).padStart(5, "0")}@example.com`,
  account: `acc_${at}`,
}));
const context = {
  whole: {},
  directory: {
    async listAddresses({ after, max }: { after: string | null; max: number }) {
      return addresses.filter(({ email }) => after === null || email > after).slice(0, max);
    },
  },
  ledger: {
    findAccount: async () => ({ state: "open", balance: 7, createdAt: 0 }),
  },
  pause: async () => {},
} as unknown as OperatorContext;

async function list(input: { max?: number; search?: string }) {
  const asked: number[] = [];
  const client = {
    async send(_: unknown, { search = "", ...sent }: Parameters<typeof ask>[0]) {
      const page = await ask({ search, ...sent });
      asked.push(page.accounts.length);
      return listAccounts.output.parse(page);
    },
  };
  const command = ACCOUNT_COMMANDS.find(({ name }) => name === "account list");
  assert.ok(command);
  const invocation = { connect: () => client } as unknown as Invocation;
  const { json, text } = await command.run(invocation, input as never);
  const { accounts, next } = json as { accounts: { email: string }[]; next?: string | null };
  return { asked, text, next, emails: accounts.map(({ email }) => email) };
}

const ask = (input: { search?: string; max?: number; after?: string | null }) =>
  listAccounts.run(context, input as never, { now: 0 } as never, null) as Promise<{
    accounts: { email: string }[];
    next: string | null;
  }>;

const EMAILS = addresses.map(({ email }) => email);

test("account list has every account, of which a response has at most 1,000", async () => {
  const all = await list({});
  assert.deepEqual(all.asked, [1_000, 1_000, 500]);
  assert.deepEqual(all.emails, EMAILS);
  assert.equal(all.next, undefined);
  assert.equal(all.text.trimEnd().split("\n").length, COUNT + 1);
});

test("a page of account list may be larger than a response", async () => {
  const page = await list({ max: 1_200 });
  assert.deepEqual(page.asked, [1_000, 200]);
  assert.deepEqual([page.emails, page.next], [EMAILS.slice(0, 1_200), EMAILS[1_199]]);
  const found = await list({ search: "user-024", max: 1_000 });
  assert.deepEqual(found.emails, EMAILS.slice(2_400));
});

test("a page that has the last account found says that no more follow", async () => {
  const found = await list({ search: "user-0000", max: 10 });
  assert.deepEqual([found.emails, found.next], [EMAILS.slice(0, 10), null]);
  assert.doesNotMatch(found.text, /More accounts follow/);
});

test("a table may have any number of rows", () => {
  const rows = Array.from({ length: 300_000 }, (_, at) => [String(at)]);
  assert.ok(table(["number"], rows).endsWith("299999\n"));
});
