import { cache } from "../ledger/known-account.ts";
import { HOLD_COLUMNS, KEPT_CALL_COLUMNS, readHold, readKeptCall } from "../ledger/row-columns.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { rowsFrom } from "./literals.ts";
import { type Loading, numbers, placesOf, texts, type Wanted } from "./loading.ts";

/** Loading what concerns the calls that run before they are charged. */

const byPlaceOf = (rows: readonly SqlRow[]) => new Map(rows.map((row) => [row["place"], row]));

export function loadHolds(asked: readonly Wanted<"hold">[]): Loading {
  const named = {
    at: numbers(asked.map(({ wanted }) => wanted.at)),
    call: texts(asked.map(({ wanted }) => wanted.callId)),
  };
  return {
    sql: `SELECT t.place, h.* FROM ${rowsFrom("t", { ...placesOf(asked), ...named })}
      JOIN account a ON a.id = t.id CROSS JOIN LATERAL (
        SELECT ${HOLD_COLUMNS} FROM hold
        WHERE account_no = a.no AND at = t.at AND call_id = t.call LIMIT 1) h`,
    take(rows) {
      const byPlace = byPlaceOf(rows);
      for (const [place, { of, wanted }] of asked.entries()) {
        const row = byPlace.get(place);
        cache.hold(of.known, wanted, row === undefined ? null : readHold(row));
      }
    },
  };
}

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

const namesOf = (asked: readonly { wanted: { tool: string; key: string } }[]) => ({
  tool: texts(asked.map(({ wanted }) => wanted.tool)),
  key: texts(asked.map(({ wanted }) => wanted.key)),
});

export function loadKeptCalls(asked: readonly Wanted<"keptCall">[]): Loading {
  return {
    sql: `SELECT t.place, k.* FROM ${rowsFrom("t", { ...placesOf(asked), ...namesOf(asked) })}
      JOIN account a ON a.id = t.id CROSS JOIN LATERAL (
        SELECT ${KEPT_CALL_COLUMNS} FROM kept_call
        WHERE account_no = a.no AND tool = t.tool AND key = t.key LIMIT 1) k`,
    take(rows) {
      const byPlace = byPlaceOf(rows);
      for (const [place, { of, wanted }] of asked.entries()) {
        const row = byPlace.get(place);
        cache.keptCall(of.known, wanted, row === undefined ? null : readKeptCall(row));
      }
    },
  };
}

export function loadKeptResponses(asked: readonly Wanted<"keptResponse">[]): Loading {
  return {
    sql: `SELECT t.place, k.response FROM ${rowsFrom("t", { ...placesOf(asked), ...namesOf(asked) })}
      JOIN account a ON a.id = t.id CROSS JOIN LATERAL (
        SELECT response FROM kept_call
        WHERE account_no = a.no AND tool = t.tool AND key = t.key LIMIT 1) k`,
    take(rows) {
      const byPlace = byPlaceOf(rows);
      for (const [place, { context }] of asked.entries())
        context.keptResponse = (byPlace.get(place)?.["response"] ?? null) as string | null;
    },
  };
}

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
