import { DurableObject } from "cloudflare:workers";
import { countCall } from "#credits/count-call.ts";
import type { Counted, FarLedger } from "#credits/far-ledger.ts";
import type { DebitOutcome, LedgerOperation, Standing } from "#credits/ledger.ts";
import { createThrottle, type Throttle } from "#credits/throttle.ts";
import { createObjectDriver, type ObjectStorage } from "./durable-object-driver.ts";
import { sqlite0001Ledger } from "./migrations/sqlite-0001-ledger.ts";
import { sqlite0002Entries } from "./migrations/sqlite-0002-entries.ts";
import { type BatchResult, createBatchRunner, describeFault, unwrap } from "./sqlite-batch.ts";
import { migrateSqlite } from "./sqlite-migrate.ts";

/**
 * The ledger of one account, at the edge: an object with a database of its own. One writer, so nothing is oversold; an
 * answer leaves only when what it tells of is on the disk (the platform's output gate). Its statements are those of the
 * SQLite store. Results are data, errors included: a class does not cross to a Worker.
 */
export class AccountLedger extends DurableObject {
  readonly #run: ReturnType<typeof createBatchRunner>;
  #throttle: { callsPerSecond: number; throttle: Throttle } | null = null;

  constructor(state: { storage: ObjectStorage }, env: unknown) {
    super(state as never, env as never);
    const driver = createObjectDriver(state.storage);
    migrateSqlite(driver, [sqlite0001Ledger, sqlite0002Entries]);
    this.#run = createBatchRunner(driver);
  }

  /** One operation in one transaction. */
  perform(name: LedgerOperation, order: unknown): BatchResult {
    return this.#run([[name, order]])[0] as BatchResult;
  }

  /** The one question about a call: the rate, and the debit or the key's standing. */
  async call<Kind extends keyof FarLedger>(
    kind: Kind,
    order: Parameters<FarLedger[Kind]>[0],
    callsPerSecond: number,
  ): Promise<CallResult> {
    if (this.#throttle?.callsPerSecond !== callsPerSecond) {
      this.#throttle = { callsPerSecond, throttle: createThrottle(callsPerSecond) };
    }
    const own = {
      debit: (given: unknown) => unwrap(this.perform("debit", given)) as DebitOutcome,
      standing: (given: unknown) => unwrap(this.perform("standing", given)) as Standing,
    };
    try {
      return { value: await countCall(own, this.#throttle.throttle, kind, order, Date.now()) };
    } catch (error) {
      return { error: describeFault(error) };
    }
  }
}

export type CallResult =
  | { value: Counted<DebitOutcome | Standing> }
  | Extract<BatchResult, { error: unknown }>;
