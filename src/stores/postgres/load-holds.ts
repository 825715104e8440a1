import { cache } from "../ledger/known-account.ts";
import { HOLD_COLUMNS, KEPT_CALL_COLUMNS, readHold, readKeptCall } from "../ledger/row-columns.ts";
import { rowsFrom } from "./literals.ts";
import {
  byPlaceOf,
  callNames,
  keyNames,
  type Loading,
  lookUp,
  placesOf,
  type Wanted,
} from "./loading.ts";

/** Loading what concerns the calls that run before they are charged. */

export const loadHolds = (asked: readonly Wanted<"hold">[]): Loading =>
  lookUp(
    asked,
    callNames(asked),
    `SELECT ${HOLD_COLUMNS} FROM hold WHERE account_no = a.no AND at = t.at AND call_id = t.call`,
    ({ of, context }, row) =>
      cache.hold(of.known, context, row === undefined ? null : readHold(row)),
  );

/** Once for each account. */
const accountsOf = <Asked extends Pick<Wanted<"hold">, "of" | "context">>(
  asked: readonly Asked[],
) => [...new Map(asked.map((each) => [each.of, each])).values()];

export function loadHeldCredits(asked: readonly Wanted<"heldCredits">[]): Loading {
  const accounts = accountsOf(asked);
  return {
    sql: `SELECT t.place, (SELECT coalesce(sum(credits), 0)::bigint FROM hold WHERE account_no = a.no) AS held
      FROM ${rowsFrom("t", placesOf(accounts))} JOIN account a ON a.id = t.id`,
    take(rows) {
      const byPlace = byPlaceOf(rows);
      for (const [place, { of }] of accounts.entries())
        of.known.heldCredits = Number(byPlace.get(place)?.["held"] ?? 0);
    },
  };
}

const keptCall = (columns: string) =>
  `SELECT ${columns} FROM kept_call WHERE account_no = a.no AND tool = t.tool AND key = t.key`;

export const loadKeptCalls = (asked: readonly Wanted<"keptCall">[]): Loading =>
  lookUp(asked, keyNames(asked), keptCall(KEPT_CALL_COLUMNS), ({ of, wanted }, row) =>
    cache.keptCall(of.known, wanted, row === undefined ? null : readKeptCall(row)),
  );

export const loadKeptResponses = (asked: readonly Wanted<"keptResponse">[]): Loading =>
  lookUp(asked, keyNames(asked), keptCall("response"), ({ context }, row) => {
    context.keptResponse = (row?.["response"] ?? null) as string | null;
  });

export function loadKeptBytes(asked: readonly Wanted<"keptBytes">[]): Loading {
  const accounts = accountsOf(asked);
  return {
    sql: `SELECT t.place, k.bytes FROM ${rowsFrom("t", placesOf(accounts))}
      JOIN account a ON a.id = t.id JOIN kept_bytes k ON k.account_no = a.no`,
    take(rows) {
      const byPlace = byPlaceOf(rows);
      for (const [place, { of }] of accounts.entries())
        of.known.keptBytes = Number(byPlace.get(place)?.["bytes"] ?? 0);
    },
  };
}
