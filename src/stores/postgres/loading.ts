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
const placesOf = (asked: readonly Omit<LoadOrder, "load">[]) => ({
  place: numbers(asked.map((_, place) => place)),
  id: texts(asked.map(({ of }) => of.known.id)),
});

/**
 * Looks rows up for each order. `named`: the columns of `t` that identify them, besides its account. `found`: their query, with a LIMIT where
 * there is one of them. `take` gets the rows of each order.
 */
export function lookUp<Asked extends Omit<LoadOrder, "load">>(
  asked: readonly Asked[],
  named: Record<string, Column>,
  found: string,
  take: (order: Asked, rows: readonly SqlRow[]) => void,
): Loading {
  return {
    sql: `SELECT t.place, x.* FROM ${rowsFrom("t", { ...placesOf(asked), ...named })}
      JOIN account a ON a.id = t.id CROSS JOIN LATERAL (${found}) x`,
    take(rows) {
      const byPlace = Map.groupBy(rows, (row) => row["place"]);
      for (const [place, order] of asked.entries()) take(order, byPlace.get(place) ?? []);
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
