import type { KnownAccount } from "../ledger/known-account.ts";
import type { LoadRequest, OrderContext } from "../ledger/working-set.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import type { Column } from "./literals.ts";

/**
 * What the rules ask for, for all accounts of a batch together: a statement for each kind of row, and what takes its rows
 * up. Each row is looked up by itself (LATERAL with a LIMIT), so that the plan is a lookup whatever the tables hold.
 */
export type Loading = { sql: string; take(rows: SqlRow[]): void };

/** `grantsMax`: so many grants were loaded at most. */
export type LoadedAccount = { known: KnownAccount; grantsMax: number };

export type LoadOrder = { of: LoadedAccount; context: OrderContext; load: LoadRequest };

/** One thing that an order asks for. */
export type Wanted<Name extends keyof LoadRequest> = Omit<LoadOrder, "load"> & {
  wanted: NonNullable<LoadRequest[Name]>;
};

export const texts = (values: readonly string[]): Column => ({ type: "text", values });
export const numbers = (values: readonly number[]): Column => ({ type: "bigint", values });
