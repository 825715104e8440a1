import { DurableObject } from "cloudflare:workers";
import {
  type AskedLedger,
  type CallOperation,
  type CallOperations,
  type CallOrder,
  type CallOutcome,
  CallRates,
  uncounted,
} from "#ledger/call-ledger.ts";
import {
  type DebitOrder,
  type DebitOutcome,
  type HoldOrder,
  type HoldOutcome,
  type KeyStatus,
  type MaintainOrder,
  type MaintainOutcome,
  NotCarriedOut,
  OrderRejected,
  type SettleOrder,
  type SettleOutcome,
} from "#ledger/port.ts";
import type { MoveOperations } from "#ledger/transfer/account-moves.ts";
import { EXPIRED_HOLDS_A_STEP, HOUR_MS } from "#limits.ts";
import {
  type BatchItem,
  type BatchResult,
  isReadName,
  ledgerOver,
  type StoreOperation,
  type SumUsage,
  unwrap,
  withSummedUsage,
} from "../ledger/store-ledger.ts";
import type { Migration } from "../schema/migrations.ts";
import { createD1Database, type D1 } from "../sql/d1-database.ts";
import { createForwardedEvents, createLedgerEvents } from "../sql/ledger-events.ts";
import { createBatchRunner, describeFault, isRead, resultOf } from "../sqlite/batch.ts";
import { createSqliteDatabase } from "../sqlite/database.ts";
import { createDebitPeriods } from "../sqlite/debit-periods.ts";
import type { SqlDriver } from "../sqlite/driver.ts";
import type { createSqliteReads } from "../sqlite/reads.ts";
import { runMigrations } from "../sqlite/run-migrations.ts";
import { createObjectDriver, type ObjectStorage } from "./driver.ts";
import { createForwarding, FORWARD_AFTER_MS } from "./events.ts";
import { setAlarmSurely } from "./next-alarm.ts";
import { type ObjectNamespace, objectsOf } from "./objects.ts";
import { AGAIN_AFTER_MAX_MS, createOpening, type Opening } from "./opening.ts";
import { createFaultReports, READINESS_OBJECT, type ReadinessStub } from "./readiness.ts";
import {
  createObjectRequestLog,
  type ObjectRequestLog,
  requestLogBoundsOf,
} from "./request-log.ts";
import type { RequestOperation } from "./request-log-stub.ts";
import {
  type CallResult,
  ITEMS_MAX,
  OtherRelease,
  requireCallOperation,
  requireOperation,
} from "./rpc.ts";
import { OBJECT_MIGRATIONS } from "./schema.ts";
import { createUpkeep, type Upkeep } from "./upkeep.ts";
import { countWrites, type Writes } from "./writes.ts";

/**
 * The ledger of one account at the edge: a Durable Object with a database of its own. The object is the only writer, so credits
 * cannot be spent twice. The platform's output gate holds a response back until its changes are on the disk. The object runs the
 * statements of the SQLite store. Results and errors are plain data, because a class cannot be sent to a Worker.
 */
export class AccountLedger extends DurableObject {
  readonly #data: Opening<AccountData>;
  /** By rate limit. After the limit changes, Workers with the old and the new one run for a while. */
  readonly #rates = new Map<number, CallRates>();
  /** Whether the last operation wrote an event; null if there is no D1 database to forward events to. */
  #hasEvent: boolean | null;
  /** Whether many debits are not summed yet. */
  #hasUnsummed = false;
  /** Sums debits before it reads what they add up to. */
  readonly #reads = withSummedUsage(
    ledgerOver(async (name, order) => unwrap(this.#runOne(name, order))),
    async (order) => unwrap(this.#runOne("sumUsage", order)) as Summed,
  );
  readonly #storage: ObjectStorage;
  readonly #faultReports: ReturnType<typeof createFaultReports>;

  constructor(
    state: { storage: ObjectStorage },
    env: unknown,
    migrations: readonly Migration[] = OBJECT_MIGRATIONS,
  ) {
    super(state as never, env as never);
    const { storage } = state;
    this.#storage = storage;
    const { DB, LEDGER } = env as Env;
    this.#faultReports = createFaultReports(
      LEDGER === undefined ? null : () => objectsOf(LEDGER, env as Env).ofService(READINESS_OBJECT),
    );
    this.#hasEvent = DB === undefined ? null : false;
    const open = () => this.#open(createObjectDriver(storage), env as Env, migrations);
    this.#data = createOpening(open);
  }

  #open(driver: SqlDriver, env: Env, migrations: readonly Migration[]): AccountData {
    const { DB } = env;
    const storage = this.#storage;
    const hasMigrated = runMigrations(driver, migrations);
    const onEvent = () => {
      if (this.#hasEvent !== null) this.#hasEvent = true;
    };
    const onUnsummed = () => {
      this.#hasUnsummed = true;
    };
    const periods = createDebitPeriods(driver);
    const run = createBatchRunner(driver, { createReads, periods, onEvent, onUnsummed });
    const ownEvents = createLedgerEvents(createSqliteDatabase(driver), "sqlite");
    const forwarding =
      DB === undefined
        ? []
        : [createForwarding(driver, ownEvents, createForwardedEvents(createD1Database(DB)))];
    const maintain = (order: MaintainOrder) =>
      unwrap(this.#runOne("maintain", order)) as MaintainOutcome;
    // The object has one account; an operation on no account has nothing to sum.
    const account = driver.prepare("SELECT id FROM account LIMIT 1");
    const sumUsage = () =>
      unwrap(this.#runOne("sumUsage", { account: String(account.get()?.["id"]) })) as Summed;
    const requests = createObjectRequestLog(driver, requestLogBoundsOf(env));
    const upkeep = createUpkeep(storage, driver, periods, {
      maintain,
      chores: [...forwarding, requests],
      sumUsage,
      expireHolds: (now) =>
        unwrap(this.#runOne("expireHolds", { now, max: EXPIRED_HOLDS_A_STEP })) as Expired,
    });
    // Data that an earlier version stored may be due for maintenance that only this version knows.
    if (hasMigrated) upkeep.schedule().catch(logAlarmError);
    const hasAccount = () => account.get() !== undefined;
    return { driver, run, upkeep, writes: countWrites(), requests, hasAccount };
  }

  /** Performs one operation in one transaction. */
  async perform(name: StoreOperation, order: unknown): Promise<BatchResult> {
    if (name !== "usage" && name !== "entries")
      return (await this.performAll([[name, order]]))[0] as BatchResult;
    await loadReads();
    return resultOf(() => this.#reads[name](order as never));
  }

  /** Performs operations in one transaction, each decided as if it were alone. The result of each is in its place. */
  async performAll(items: readonly BatchItem[]): Promise<BatchResult[]> {
    if (items.length > ITEMS_MAX) {
      const fault = new OrderRejected(`A request takes at most ${ITEMS_MAX} operations`);
      return items.map(() => ({ error: describeFault(fault) }));
    }
    if (items.some(([name]) => isReadName(name))) await loadReads();
    const results = this.#runAll(items);
    for (const [at, [name, order]] of items.entries())
      await this.#scheduleAfter(name, order, results[at] as BatchResult);
    return results;
  }

  /**
   * Counts a call against the rate limits, unless `callsPerSecond` is null because it was counted before, and performs its debit or
   * hold, or returns the status of its key.
   */
  async call(
    kind: CallOperation,
    order: CallOrder,
    callsPerSecond: number | null,
    isAgain: boolean,
  ): Promise<CallResult> {
    let scheduled: Promise<void> | undefined;
    let mayBeDebited = false;
    const pay =
      <Name extends "debit" | "hold">(name: Name) =>
      (payment: CallOperations[Name][0]) => {
        const result = this.#runOne(name, payment);
        mayBeDebited = "value" in result;
        scheduled = this.#scheduleAfter(name, payment, result);
        return unwrap(result) as CallOperations[Name][1];
      };
    const ledger: AskedLedger = {
      debit: pay("debit"),
      hold: pay("hold"),
      keyStatus: (statusOrder) => unwrap(this.#runOne("keyStatus", statusOrder)) as KeyStatus,
    };
    try {
      requireCallOperation(kind);
      // The order's time is used, because the Workers' clocks and the object's clock may differ.
      const value = await (callsPerSecond === null
        ? uncounted<CallOutcome>(ledger[kind](order as never))
        : this.#ratesFor(callsPerSecond).ask(kind, ledger, order, order.now, isAgain));
      await scheduled;
      // Without the account, an import may bring the key.
      const isFinal = value.outcome.outcome === "invalid_key" && this.#data.use().hasAccount();
      return isFinal ? { value, isFinal } : { value };
    } catch (error) {
      if (error instanceof OtherRelease) this.#faultReports.send(error.message);
      const fault = describeFault(error);
      return { error: mayBeDebited ? { ...fault, kind: "unknown" } : fault };
    }
  }

  #ratesFor(callsPerSecond: number): CallRates {
    const rates = this.#rates.get(callsPerSecond) ?? new CallRates(callsPerSecond);
    this.#rates.set(callsPerSecond, rates);
    return rates;
  }

  /** Called by the platform when the alarm is due. */
  async alarm(): Promise<void> {
    let upkeep: Upkeep;
    try {
      ({ upkeep } = this.#usable());
    } catch {
      // Code that can use the data may be deployed later than the platform repeats an alarm.
      const waitMs = this.#data.fault()?.isFinal === false ? AGAIN_AFTER_MAX_MS : HOUR_MS;
      return setAlarmSurely(this.#storage, Date.now() + waitMs);
    }
    await upkeep.round();
  }

  /** Called by the object of another account, whose data this code cannot use, and by Workers of another release. */
  reportFault(fault: string): void {
    this.#faultReports.receive(fault);
  }

  /** Exports records of the account, or imports it. */
  move(name: keyof MoveOperations, order: never): Promise<BatchResult> {
    return resultOf(async () => {
      const { driver, writes, upkeep } = this.#usable();
      if (name === "exportRecords") {
        const { exportRecords } = await import("./exports.ts");
        return exportRecords(driver, writes, order);
      }
      const { createSqliteImports } = await import("../sqlite/imports.ts");
      const imports = createSqliteImports(driver);
      if (name !== "finishImport") return imports[name](order);
      writes.begin();
      const outcome = await imports.finishImport(order);
      if (outcome.ok) await upkeep.schedule();
      return outcome;
    });
  }

  /** Adds to the request log of the account, or reads it. */
  requestLog(name: RequestOperation, order: never): Promise<BatchResult> {
    return resultOf(async () => {
      // The log is in no export, so writing to it disturbs none.
      const { requests, upkeep } = this.#usable();
      if (name !== "append") return requests[name](order);
      if (requests.append(order)) await upkeep.schedule().catch(logAlarmError);
      return null;
    });
  }

  #runOne(name: StoreOperation, order: unknown): BatchResult {
    return this.#runAll([[name, order]])[0] as BatchResult;
  }

  #runAll(items: readonly BatchItem[]): BatchResult[] {
    let data: AccountData;
    try {
      for (const [name] of items) requireOperation(name);
      data = this.#usable();
      for (const [name] of items) {
        if (!isRead(name)) data.writes.begin();
        if (name === "probe") this.#requireNoReport();
      }
    } catch (error) {
      return items.map(() => ({ error: describeFault(error) }));
    }
    if (this.#hasEvent !== null) this.#hasEvent = false;
    const results = data.run([...items]);
    const hasClosed = items.some(([name, order], at) => {
      const result = results[at];
      const closes = name === "changeAccount" && (order as { state?: string }).state === "closed";
      return closes && result !== undefined && "value" in result;
    });
    if (hasClosed) data.requests.clear();
    return results;
  }

  /** Returns the account's data. Throws `NotCarriedOut` if this code cannot use it, which `/readyz` tells. */
  #usable(): AccountData {
    try {
      return this.#data.use();
    } finally {
      const fault = this.#data.fault();
      // One failure may be a moment's fault of the storage, which says nothing about other accounts.
      if (fault !== null && (fault.isFinal || fault.failures > 1))
        this.#faultReports.send(fault.message);
    }
  }

  #requireNoReport(): void {
    const fault = this.#faultReports.current();
    if (fault !== null) throw new NotCarriedOut(fault);
  }

  /**
   * Sets the alarm that an operation requires. Usually an early enough alarm is set, and there is nothing to wait for. A failure to
   * set one does not fail the operation.
   */
  #scheduleAfter(
    name: StoreOperation,
    order: unknown,
    result: BatchResult,
  ): Promise<void> | undefined {
    if (!("value" in result)) return undefined;
    const { upkeep } = this.#data.use();
    // The alarm's round handles everything that is due.
    if (this.#hasEvent) return upkeep.wakeBy(Date.now() + FORWARD_AFTER_MS)?.catch(logAlarmError);
    // Grants may have got their expiries back.
    if (name === "clawback") return upkeep.schedule().catch(logAlarmError);
    if (this.#hasUnsummed) {
      this.#hasUnsummed = false;
      return upkeep.recordUnsummed()?.catch(logAlarmError);
    }
    if (name !== "debit" && name !== "hold" && name !== "settle") return undefined;
    const { outcome } = result.value as DebitOutcome | HoldOutcome | SettleOutcome;
    if (outcome === "held") {
      const { now, leaseMs } = order as HoldOrder;
      return upkeep.wakeBy(now + leaseMs)?.catch(logAlarmError);
    }
    if (outcome !== "debited" && outcome !== "settled") return undefined;
    const { now, idempotency } = order as DebitOrder | SettleOrder;
    return upkeep.recordDebit({ now, isRepeatable: idempotency !== null })?.catch(logAlarmError);
  }
}

/** What the object does with its data, once it is open. */
type AccountData = {
  driver: SqlDriver;
  run: ReturnType<typeof createBatchRunner>;
  upkeep: Upkeep;
  writes: Writes;
  requests: ObjectRequestLog;
  hasAccount(): boolean;
};

type Expired = { ended: number; isMore: boolean };
type Summed = Awaited<ReturnType<SumUsage>>;

/**
 * Reads, exports and imports are modules that the first of them loads, because the Worker that makes calls near the client loads this
 * class too (docs/decisions/0060). What an object does within a transaction cannot wait, so reads are loaded before.
 */
let reads: { createSqliteReads: typeof createSqliteReads } | undefined;

async function loadReads(): Promise<void> {
  reads ??= await import("../sqlite/reads.ts");
}

function createReads(driver: SqlDriver) {
  if (reads === undefined) throw new Error("The reads are not loaded");
  return reads.createSqliteReads(driver);
}

const logAlarmError = (cause: unknown) =>
  console.error(JSON.stringify({ message: NO_ALARM, cause: String(cause) }));
const NO_ALARM =
  "The alarm for the maintenance of an account could not be set; the next call tries again";

type Env = { DB?: D1; LEDGER?: ObjectNamespace<ReadinessStub> };
