import type { KnownAccount } from "../ledger/known-account.ts";
import type { LoadRequest, OrderContext } from "../ledger/working-set.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import type { Column } from "./literals.ts";

/**
 * Loads one kind of row for all accounts of a batch: a statement, and a function that receives its rows. Statements look each row up
 * separately (LATERAL with a LIMIT), so that the planner chooses index look-ups whatever the statistics of the tables.
 */
export type Loading = { sql: string; take(rows: SqlRow[]): void };

/** `grantsMax`: the limit with which the account's grants were loaded. */
export type LoadedAccount = { known: KnownAccount; grantsMax: number };

export type LoadOrder = { of: LoadedAccount; context: OrderContext; load: LoadRequest };

/** One kind of row that an order needs. */
export type Wanted<Name extends keyof LoadRequest> = Omit<LoadOrder, "load"> & {
  wanted: NonNullable<LoadRequest[Name]>;
};

export const texts = (values: readonly string[]): Column => ({ type: "text", values });
export const numbers = (values: readonly number[]): Column => ({ type: "bigint", values });

/** The columns that connect a row to the order that requested it. */
export const placesOf = (asked: readonly Omit<LoadOrder, "load">[]) => ({
  place: numbers(asked.map((_, place) => place)),
  id: texts(asked.map(({ of }) => of.known.id)),
});
