/**
 * The API Worker of the release after this one, as far as it could differ: a migration, and fields, outcomes, an operation, a kind of
 * call and a method that this release does not know.
 */

import { AccountLedger as ObjectLedger } from "#stores/durable-object/account-object.ts";
import type { ObjectStorage } from "#stores/durable-object/driver.ts";
import type { CallResult, LedgerStub } from "#stores/durable-object/rpc.ts";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";
import type { BatchResult } from "#stores/sqlite/batch.ts";
import { createTestWorker, type TestEnv } from "./release-access.ts";

const MIGRATION = {
  name: "add-note",
  sql: "ALTER TABLE account ADD COLUMN note text",
  readableFrom: 1,
};

/** A new field in every outcome. */
const more = { promotion: { credits: 1 } };
const withMore = (outcome: unknown): unknown =>
  typeof outcome === "object" && outcome !== null && !Array.isArray(outcome)
    ? { ...outcome, ...more }
    : outcome;

/** Whether the platform has replaced an object while a call was under way. Outlives the object, as the isolate does. */
let hasReset = false;

type State = { storage: ObjectStorage; abort(reason: string): void };
type Order = { account: string; asksForPromotion?: true };

export class AccountLedger extends ObjectLedger {
  readonly #storage: ObjectStorage;
  /** Whether this release breaks a rule: it sends a new outcome to orders that do not ask for it. */
  readonly #isRude: boolean;
  /** Whether the object is started anew after the first debit, before its response. */
  readonly #resets: boolean;
  readonly #abort: (reason: string) => void;

  constructor(state: State, env: unknown) {
    super(state, env, [...OBJECT_MIGRATIONS, MIGRATION]);
    this.#storage = state.storage;
    const { TEST_RUDE, TEST_RESETS } = env as { TEST_RUDE?: string; TEST_RESETS?: string };
    this.#isRude = TEST_RUDE === "yes";
    this.#resets = TEST_RESETS === "yes";
    this.#abort = (reason) => state.abort(reason);
  }

  override async perform(...given: Parameters<LedgerStub["perform"]>): Promise<BatchResult> {
    const [name] = given as [string, unknown];
    if (name === "holdCredits") return { value: { held: true } };
    const result = await super.perform(...given);
    return "value" in result ? { value: withMore(result.value) } : result;
  }

  override async call(...given: Parameters<ObjectLedger["call"]>): Promise<CallResult> {
    const [kind, order, , isAgain] = given as [string, Order, number | null, boolean];
    const isNew = kind === "hold" || order.asksForPromotion === true || this.#isRude;
    if (isNew && !isAgain)
      return { value: { outcome: { outcome: "on_hold", balance: 0 }, rate: null } } as never;
    // Uses the column that it has added.
    this.#storage.sql.exec("UPDATE account SET note = 'by the next release'").toArray();
    const result = await super.call(...given);
    if (this.#resets && kind === "debit" && !hasReset) {
      hasReset = true;
      this.#abort("Durable Object reset because its code was updated.");
    }
    if (!("value" in result)) return result;
    return {
      value: { ...result.value, ...more, outcome: withMore(result.value.outcome) },
    } as never;
  }

  holdAll(): BatchResult[] {
    return [{ value: { held: true } }];
  }
}

/** Its Worker sends a new field in every order, and a new parameter. */
export default createTestWorker((stub: TestEnv["stub"]) => ({
  perform: (name, order) => stub.perform(name, { ...(order as object), channel: "web" }),
  call: (kind, order, ...rest) =>
    (stub.call as (...given: unknown[]) => Promise<CallResult>)(
      kind,
      { ...(order as object), channel: "web" },
      ...rest,
      { trace: "a trace" },
    ),
}));
