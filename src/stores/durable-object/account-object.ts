import { DurableObject } from "cloudflare:workers";

import { type CallOperation, type Counted, countCall, uncounted } from "#ledger/call-ledger.ts";
import { type CallRates, createCallRates } from "#ledger/call-rates.ts";
import {
  type DebitOrder,
  type DebitOutcome,
  type KeyStatus,
  type KeyStatusOrder,
  type LedgerOperation,
  type MaintainOrder,
  NotCarriedOut,
} from "#ledger/port.ts";

import type { MoveOperations } from "#ledger/transfer/account-moves.ts";
import { HOUR_MS, ROLL_UP_AFTER_DAYS_DEFAULT, ROLL_UP_AFTER_DAYS_MIN } from "#limits.ts";
import type { Migration } from "../schema/migrations.ts";
import { createD1Database, type D1 } from "../sql/d1-database.ts";
import { createForwardedEvents } from "../sql/forwarded-events.ts";
import {
  type BatchResult,
  createBatchRunner,
  describeFault,
  isRead,
  settle,
  unwrap,
} from "../sqlite/batch.ts";
import { createDebitPeriods } from "../sqlite/debit-periods.ts";
import { createObjectDriver, type ObjectStorage } from "./driver.ts";
import { createForwarding, type PerformOwn } from "./events.ts";
import type { CallResult } from "./ledger.ts";
import { createMoving } from "./moving.ts";
import { createFaultReports, READINESS_OBJECT, type ReadinessStub } from "./readiness.ts";
import { OBJECT_MIGRATIONS, openSchema } from "./schema.ts";
import { createUpkeep, type Upkeep } from "./upkeep.ts";

/**
 * The ledger of one account at the edge: a Durable Object with a database of its own. The object is the only writer, so credits
 * cannot be spent twice. The platform's output gate holds a response back until its changes are on the disk. The object runs the
 * statements of the SQLite store. Results and errors are plain data, because a class cannot be sent to a Worker.
 */
export class AccountLedger extends DurableObject {
  readonly #run: ReturnType<typeof createBatchRunner>;
  readonly #upkeep: Upkeep;
  readonly #moving: ReturnType<typeof createMoving>;
  /** By rate limit. After the limit changes, Workers with the old and the new one run for a while. */
  readonly #rates = new Map<number, CallRates>();
  /** Whether the last operation wrote an event; null if there is no D1 database to forward events to. */
  #hasEvent: boolean | null;
  readonly #hasAccount: () => boolean;
  /** Whether many debits are not summed yet. */
  #hasUnsummed = false;
  readonly #storage: ObjectStorage;
  /** Why this code cannot use the data, for example because a newer Worker migrated it. Every operation is then rejected with it. */
  readonly #fault: string | null;
  readonly #faultReports: ReturnType<typeof createFaultReports>;

  constructor(
    state: { storage: ObjectStorage },
    env: unknown,
    migrations: readonly Migration[] = OBJECT_MIGRATIONS,
  ) {
    super(state as never, env as never);
    const { storage } = state;
    this.#storage = storage;
    const driver = createObjectDriver(storage);
    const { hasMigrated, fault } = openSchema(driver, migrations);
    this.#fault = fault;
    if (fault !== null) console.error(JSON.stringify({ message: UNUSABLE, cause: fault }));
    const { DB, LEDGER } = env as Env;
    this.#faultReports = createFaultReports(
      LEDGER === undefined ? null : () => LEDGER.getByName(READINESS_OBJECT),
    );
    this.#hasEvent = DB === undefined ? null : false;
    const onEvent = () => {
      if (this.#hasEvent !== null) this.#hasEvent = true;
    };
    const onUnsummed = () => {
      this.#hasUnsummed = true;
    };
    const periods = createDebitPeriods(driver);
    this.#run = createBatchRunner(driver, { periods, onEvent, onUnsummed });
    const perform: PerformOwn = (name, order) => unwrap(this.#runOne(name, order)) as never;
    const forwarding =
      DB === undefined
        ? null
        : createForwarding(driver, perform, createForwardedEvents(createD1Database(DB)));
    const maintain = (order: MaintainOrder) => perform("maintain", order);
    const rollUpAfterDays = rollUpAfterDaysOf(env);
    // The object has one account; an operation on no account has nothing to sum.
    const account = driver.prepare("SELECT id FROM account LIMIT 1");
    const sumUsage = () => perform("sumUsage", { account: String(account.get()?.["id"]) });
    const upkeep = { maintain, rollUpAfterDays, forwarding, sumUsage };
    this.#hasAccount = () => account.get() !== undefined;
    this.#upkeep = createUpkeep(storage, driver, periods, upkeep);
    // Data that an earlier version stored may be due for maintenance that only this version knows.
    if (hasMigrated) this.#upkeep.schedule().catch(logAlarmError);
    this.#moving = createMoving(driver, async () => {
      await storage.deleteAll();
      periods.forget();
      openSchema(driver, migrations);
    });
  }

  /** Performs one operation in one transaction. */
  async perform(name: LedgerOperation, order: unknown): Promise<BatchResult> {
    const result = this.#runOne(name, order);
    await this.#scheduleAfter(name, order, result);
    return result;
  }

  /**
   * Counts a call against the rate limits, unless `callsPerSecond` is null because it was counted before, and performs its debit
   * or returns the status of its key.
   */
  async call(
    kind: CallOperation,
    order: DebitOrder | KeyStatusOrder,
    callsPerSecond: number | null,
    isAgain: boolean,
  ): Promise<CallResult> {
    let scheduled: Promise<void> | undefined;
    let mayBeDebited = false;
    const debit = (debitOrder: unknown) => {
      const result = this.#runOne("debit", debitOrder);
      mayBeDebited = "value" in result;
      scheduled = this.#scheduleAfter("debit", debitOrder, result);
      return unwrap(result) as DebitOutcome;
    };
    const keyStatus = (statusOrder: unknown) =>
      unwrap(this.#runOne("keyStatus", statusOrder)) as KeyStatus;
    // The order's time is used, because the Workers' clocks and the object's clock may differ.
    const perform: (same: unknown) => DebitOutcome | KeyStatus =
      kind === "debit" ? debit : keyStatus;
    try {
      const value: Counted<DebitOutcome | KeyStatus> =
        callsPerSecond === null
          ? await uncounted(perform(order))
          : await countCall({
              ...{ rates: this.#ratesFor(callsPerSecond), order, at: order.now },
              ...{ isAgain, perform, keyStatus },
            });
      await scheduled;
      // Without the account, an import may bring the key.
      const isFinal = value.outcome.outcome === "invalid_key" && this.#hasAccount();
      return isFinal ? { value, isFinal } : { value };
    } catch (error) {
      const fault = describeFault(error);
      return { error: mayBeDebited ? { ...fault, kind: "unknown" } : fault };
    }
  }

  #ratesFor(callsPerSecond: number): CallRates {
    const rates = this.#rates.get(callsPerSecond) ?? createCallRates(callsPerSecond);
    this.#rates.set(callsPerSecond, rates);
    return rates;
  }

  /** Called by the platform when the alarm is due. */
  alarm(): Promise<void> {
    // The platform drops an alarm that fails repeatedly, but code that can use the data may be deployed later than that.
    if (this.#fault !== null) return this.#storage.setAlarm(Date.now() + HOUR_MS);
    return this.#upkeep.round();
  }

  /** Called by the object of another account, whose data this code cannot use. */
  reportFault(fault: string): void {
    this.#faultReports.receive(fault);
  }

  exportRecords(order: MoveOperations["exportRecords"][0]): Promise<BatchResult> {
    return settle(() => this.#usable().exportRecords(order));
  }

  beginImport(order: MoveOperations["beginImport"][0]): Promise<BatchResult> {
    return settle(() => this.#usable().beginImport(order));
  }

  importRecords(order: MoveOperations["importRecords"][0]): Promise<BatchResult> {
    return settle(() => this.#usable().importRecords(order));
  }

  finishImport(order: MoveOperations["finishImport"][0]): Promise<BatchResult> {
    return settle(async () => {
      const outcome = this.#usable().finishImport(order);
      if (outcome.ok) await this.#upkeep.schedule();
      return outcome;
    });
  }

  #runOne(name: LedgerOperation, order: unknown): BatchResult {
    try {
      this.#usable().enter(isRead(name));
      if (name === "probe") this.#requireNoReport();
    } catch (error) {
      return { error: describeFault(error) };
    }
    if (this.#hasEvent !== null) this.#hasEvent = false;
    return this.#run([[name, order]])[0] as BatchResult;
  }

  /** Returns the export and import of the account. Throws `NotCarriedOut` if this code cannot use the data. */
  #usable(): ReturnType<typeof createMoving> {
    if (this.#fault === null) return this.#moving;
    this.#faultReports.send(this.#fault);
    throw new NotCarriedOut(this.#fault);
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
    name: LedgerOperation,
    order: unknown,
    result: BatchResult,
  ): Promise<void> | undefined {
    if (!("value" in result)) return undefined;
    // The alarm's round handles everything that is due.
    if (this.#hasEvent) return this.#upkeep.recordEvent()?.catch(logAlarmError);
    // Grants may have got their expiries back.
    if (name === "clawback") return this.#upkeep.schedule().catch(logAlarmError);
    if (this.#hasUnsummed) {
      this.#hasUnsummed = false;
      return this.#upkeep.recordUnsummed()?.catch(logAlarmError);
    }
    if (name !== "debit" || (result.value as DebitOutcome).outcome !== "debited") return undefined;
    const { now, idempotency } = order as DebitOrder;
    return this.#upkeep
      .recordDebit({ now, isRepeatable: idempotency !== null })
      ?.catch(logAlarmError);
  }
}

const logAlarmError = (cause: unknown) =>
  console.error(JSON.stringify({ message: NO_ALARM, cause: String(cause) }));
const UNUSABLE = "This version cannot use the ledger of an account; its calls get 503";
const NO_ALARM =
  "The alarm for the maintenance of an account could not be set; the next call tries again";

type Env = { DB?: D1; LEDGER?: { getByName(name: string): ReadinessStub } };

/** The Worker validates its configuration before it calls an object. */
function rollUpAfterDaysOf(env: unknown): number {
  const days = Number(
    (env as { TOOLBOOTH_ROLL_UP_AFTER_DAYS?: unknown }).TOOLBOOTH_ROLL_UP_AFTER_DAYS,
  );
  return days >= ROLL_UP_AFTER_DAYS_MIN ? days : ROLL_UP_AFTER_DAYS_DEFAULT;
}
