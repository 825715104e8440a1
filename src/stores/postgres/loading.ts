import type { Needs } from "#ledger/rules/rows.ts";
import type { KnownAccount } from "../ledger/known-account.ts";
import type { OrderContext } from "../ledger/working-set.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { type Column, rowsFrom } from "./literals.ts";

/**
 * Loads one kind of row for all accounts of a batch: a statement, and a function that receives its rows. Statements look each row up
 * separately (LATERAL with a LIMIT), so that the planner chooses index look-ups whatever the statistics of the tables.
 */
export type Loading = { sql: string; take(rows: SqlRow[]): void };

/** `grantsMax`: the limit with which the account's grants were loaded. */
export type LoadedAccount = { known: KnownAccount; grantsMax: number };

export type LoadOrder = { of: LoadedAccount; context: OrderContext; load: Needs };

/** One kind of row that an order needs. */
export type Wanted<Name extends keyof Needs> = Omit<LoadOrder, "load"> & {
  wanted: NonNullable<Needs[Name]>;
};

export const texts = (values: readonly string[]): Column => ({ type: "text", values });
export const numbers = (values: readonly number[]): Column => ({ type: "bigint", values });

/** The columns that connect a row to the order that requested it. */
export const placesOf = (asked: readonly Omit<LoadOrder, "load">[]) => ({
  place: numbers(asked.map((_, place) => place)),
  id: texts(asked.map(({ of }) => of.known.id)),
});

/** Returns the row of each order by its place in `asked`. */
export const byPlaceOf = (rows: readonly SqlRow[]) =>
  new Map(rows.map((row) => [row["place"], row]));

/**
 * Looks one row up for each order. `named`: the columns of `t` that identify it, besides its account. `found`: the query of the row, without
 * its LIMIT. `take` gets the row of each order; undefined if there is none.
 */
export function lookUp<Asked extends Omit<LoadOrder, "load">>(
  asked: readonly Asked[],
  named: Record<string, Column>,
  found: string,
  take: (order: Asked, row: SqlRow | undefined) => void,
): Loading {
  return {
    sql: `SELECT t.place, x.* FROM ${rowsFrom("t", { ...placesOf(asked), ...named })}
      JOIN account a ON a.id = t.id CROSS JOIN LATERAL (${found} LIMIT 1) x`,
    take(rows) {
      const byPlace = byPlaceOf(rows);
      for (const [place, order] of asked.entries()) take(order, byPlace.get(place));
    },
  };
}

/** The columns that name a call under an idempotency key, and those that name a call by its time and id. */
export const keyNames = (asked: readonly { wanted: { tool: string; key: string } }[]) => ({
  tool: texts(asked.map(({ wanted }) => wanted.tool)),
  key: texts(asked.map(({ wanted }) => wanted.key)),
});
export const callNames = (asked: readonly { context: OrderContext }[]) => ({
  at: numbers(asked.map(({ context }) => context.at)),
  call: texts(asked.map(({ context }) => context.callId)),
});
