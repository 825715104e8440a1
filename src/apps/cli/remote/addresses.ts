import type { AddressRecord } from "#operator/move-acts.ts";
import type { OperatorClient } from "#operator/operations.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { hasAccount } from "#stores/sqlite/transfer.ts";
import { pagesOf } from "#stores/sqlite/transfer-rows.ts";
import { type Call, ProblemDetails } from "../command.ts";
import { chunksOf, eachAtOnce } from "../parallel.ts";
import { counted, shortly } from "../text.ts";

/** Each is up to three statements to the database there, and a Worker may send as few as 50 for one request. */
const SENT_AT_ONCE = 15;

/** An account whose address somebody else has there. */
export type AddressTaken = { account: string; by: string };

/**
 * The addresses of the lines, after all accounts. An account in `closed` was closed there after it had come over: its
 * address was forgotten, and stays so. What somebody else has is left to them, and told.
 */
export async function moveAddresses(
  { note }: Call,
  client: OperatorClient,
  driver: NodeSqlite,
  closed: ReadonlySet<string>,
): Promise<AddressTaken[]> {
  const taken: AddressTaken[] = [];
  const moved: string[] = [];
  const kinds: Iterable<AddressRecord>[] = [
    addressesOf(driver, closed),
    pagesOf(driver, "closedAddress"),
  ];
  for (const records of kinds) {
    const sent = eachAtOnce(chunksOf(records, SENT_AT_ONCE), (chunk) =>
      client.importAddresses({ records: chunk }),
    );
    for await (const { refused } of sent) {
      for (const { account, by } of refused) {
        if (by === null) moved.push(account);
        else taken.push({ account, by });
      }
    }
  }
  if (moved.length > 0) {
    note(
      `${counted(moved.length, "account has", "accounts have")} another address there by now and ${moved.length === 1 ? "keeps" : "keep"} it (${shortly(moved)}).`,
    );
  }
  return taken;
}

function* addressesOf(driver: NodeSqlite, closed: ReadonlySet<string>) {
  for (const record of pagesOf(driver, "address")) {
    if (hasAccount(driver, record.account) && !closed.has(record.account)) yield record;
  }
}

/** Last of all: everything else has come over by then. */
export function refuseTaken(taken: readonly AddressTaken[]): void {
  if (taken.length === 0) return;
  const which = shortly(taken.map(({ account, by }) => `that of ${account} is with ${by}`));
  throw new ProblemDetails(
    `The records came over and the books reconcile, but ${counted(taken.length, "address has", "addresses have")} another account there (${which}): somebody signed up before it came. To give it to the account of the lines, find it with account list, close the other account (account close) and run the import again; its owner then signs up anew and finds the account.`,
  );
}
