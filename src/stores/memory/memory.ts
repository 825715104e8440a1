/**
 * The memory store: a ledger and a directory in plain objects, for tests, as the plainest reading of the two ports.
 * It keeps every promise of the two ports but one: nothing survives the process. An operation runs to its
 * end without a pause, so it is atomic; it throws before it changes anything, or not at all.
 */
import type { Address, Directory } from "#accounts/directory.ts";
import type { Ledger } from "#ledger/port.ts";
import { accountOperations } from "./accounts.ts";
import { debitOperations } from "./debits.ts";
import { entryOperations } from "./entries.ts";
import { grantOperations } from "./grants.ts";
import { noticeOperations } from "./notices.ts";
import { reportOperations } from "./reports.ts";
import { createRows } from "./rows.ts";

export function createMemoryLedger(): Ledger {
  const rows = createRows();
  return {
    ...accountOperations(rows),
    ...grantOperations(rows),
    ...debitOperations(rows),
    ...noticeOperations(rows),
    ...reportOperations(rows),
    ...entryOperations(rows),
    probe: async () => ({ ready: true }),
  };
}

export function createMemoryDirectory(): Directory {
  const byEmail = new Map<string, Address>();
  const closedHashes = new Map<string, number>();
  const addressOf = (account: string) =>
    [...byEmail.values()].find((each) => each.account === account);
  const noteClosed = (emailHash: string, at: number) => {
    if (!closedHashes.has(emailHash)) closedHashes.set(emailHash, at);
  };
  return {
    register: async ({ email, account, createdAt }) => {
      const owner = byEmail.get(email)?.account;
      if (owner === account) return { outcome: "registered" };
      // One address an account: a second one finds its place taken by the first.
      if (owner !== undefined || addressOf(account) !== undefined) return { outcome: "taken" };
      byEmail.set(email, { email, account, createdAt });
      return { outcome: "registered" };
    },

    findByEmail: async ({ email }) => {
      const address = byEmail.get(email);
      return address === undefined ? null : { ...address };
    },

    findByAccount: async ({ account }) => {
      const address = addressOf(account);
      return address === undefined ? null : { ...address };
    },

    listAddresses: async ({ after, max }) =>
      [...byEmail.keys()]
        .filter((email) => after === null || email > after)
        .sort()
        .slice(0, max)
        .flatMap((email) => byEmail.get(email) ?? [])
        .map((address) => ({ ...address })),

    forget: async ({ account, emailHash, now }) => {
      const address = addressOf(account);
      if (address === undefined) return { found: false };
      byEmail.delete(address.email);
      noteClosed(emailHash, now);
      return { found: true };
    },

    noteClosed: async ({ emailHash, now }) => {
      noteClosed(emailHash, now);
      return { noted: true };
    },
    wasClosed: async ({ emailHash }) => ({ closed: closedHashes.has(emailHash) }),

    listClosed: async ({ after, max }) =>
      [...closedHashes]
        .map(([emailHash, closedAt]) => ({ emailHash, closedAt }))
        .filter(({ emailHash }) => after === null || emailHash > after)
        .sort((one, other) => (one.emailHash < other.emailHash ? -1 : 1))
        .slice(0, max),
  };
}
