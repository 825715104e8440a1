import { DurableObject } from "cloudflare:workers";

import { type Counted, countCall } from "#ledger/call-ledger.ts";
import {
  type DebitOrder,
  type DebitOutcome,
  type KeyStatus,
  type KeyStatusOrder,
  type LedgerOperation,
  type MaintainOrder,
  NotCarriedOut,
} from "#ledger/port.ts";

import { createThrottle, type Throttle } from "#ledger/throttle.ts";
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
import { createObjectDriver, type ObjectStorage } from "./driver.ts";
import { createForwarding, type PerformOwn } from "./events.ts";
import type { CallQuestion } from "./ledger.ts";
import { createMoving } from "./moving.ts";
import { createFaultReports, READINESS_OBJECT, type ReadinessStub } from "./readiness.ts";
import { OBJECT_MIGRATIONS, openSchema } from "./schema.ts";
import { createUpkeep, type Upkeep } from "./upkeep.ts";

/**
 * The ledger of one account, at the edge: an object with a database of its own. One writer, so nothing is oversold; an
 * answer leaves only when what it tells of is on the disk (the platform's output gate). Its statements are those of the
 * SQLite store. Results are data, errors included: a class does not cross to a Worker.
 */
export class AccountLedger extends DurableObject {
  readonly #run: ReturnType<typeof createBatchRunner>;
  readonly #upkeep: Upkeep;
  readonly #moving: ReturnType<typeof createMoving>;
  /** By the limit that the Worker has: for a while after it was changed there are Workers of either. */
  readonly #throttles = new Map<number, Throttle>();
  /** Whether the last operation has written a notice; null where there is no place to hand one on to. */
  #hasEvent: boolean | null;
  readonly #storage: ObjectStorage;
  /** Why this code may not use the data, which a newer Worker has migrated; then every operation is rejected with it. */
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
    this.#run = createBatchRunner(driver, { isAlone: true, onEvent });
    const perform: PerformOwn = (name, order) => unwrap(this.#carryOut(name, order)) as never;
    const forwarding =
      DB === undefined
        ? null
        : createForwarding(driver, perform, createForwardedEvents(createD1Database(DB)));
    const maintain = (order: MaintainOrder) => perform("maintain", order);
    const rollUpAfterDays = rollUpAfterDaysOf(env);
    this.#upkeep = createUpkeep(storage, driver, maintain, rollUpAfterDays, forwarding);
    // What an earlier version has stored may be due by something that only this one knows.
    if (hasMigrated) this.#upkeep.schedule().catch(logAlarmError);
    this.#moving = createMoving(driver, async () => {
      await storage.deleteAll();
      openSchema(driver, migrations);
    });
  }

  /** One operation in one transaction. */
  async perform(name: LedgerOperation, order: unknown): Promise<BatchResult> {
    const result = this.#carryOut(name, order);
    await this.#scheduleAfter(name, order, result);
    return result;
  }

  /** The one question about a call: the rate, by the time of the order, and the debit or the key's standing. */
  async call(
    kind: CallQuestion,
    order: DebitOrder | KeyStatusOrder,
    callsPerSecond: number,
    isAgain: boolean,
  ): Promise<CallResult> {
    const throttle = this.#throttles.get(callsPerSecond) ?? createThrottle(callsPerSecond);
    this.#throttles.set(callsPerSecond, throttle);
    let recorded: Promise<void> | undefined;
    const debit = (given: unknown) => {
      const result = this.#carryOut("debit", given);
      recorded = this.#scheduleAfter("debit", given, result);
      return unwrap(result) as DebitOutcome;
    };
    const keyStatus = (given: unknown) => unwrap(this.#carryOut("keyStatus", given)) as KeyStatus;
    // By the order's own time: the object has no clock of its own that callers agree on.
    const question = { throttle, order, at: order.now, isAgain, keyStatus };
    try {
      const value: Counted<DebitOutcome | KeyStatus> =
        kind === "debit"
          ? await countCall({ ...question, perform: debit })
          : await countCall({ ...question, perform: keyStatus });
      await recorded;
      return { value };
    } catch (error) {
      return { error: describeFault(error) };
    }
  }

  /** Woken by the platform. */
  alarm(): Promise<void> {
    // An alarm that fails is dropped after some tries, and code that can use the data may come later than that.
    if (this.#fault !== null) return this.#storage.setAlarm(Date.now() + HOUR_MS);
    return this.#upkeep.round();
  }

  /** An account's object says that this code may not use its data. */
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

  #carryOut(name: LedgerOperation, order: unknown): BatchResult {
    try {
      this.#usable().enter(isRead(name));
      if (name === "probe") this.#requireNoReport();
    } catch (error) {
      return { error: describeFault(error) };
    }
    if (this.#hasEvent !== null) this.#hasEvent = false;
    return this.#run([[name, order]])[0] as BatchResult;
  }

  /** What moves the account, where this code may use the data: a fault is sure to have changed nothing. */
  #usable(): ReturnType<typeof createMoving> {
    if (this.#fault === null) return this.#moving;
    this.#faultReports.send(this.#fault);
    throw new NotCarriedOut(this.#fault);
  }

  #requireNoReport(): void {
    const fault = this.#faultReports.current();
    if (fault !== null) throw new NotCarriedOut(fault);
  }

  /** Mostly there is an alarm, and nothing to wait for. That none could be set is no reason to lose the answer. */
  #scheduleAfter(
    name: LedgerOperation,
    order: unknown,
    result: BatchResult,
  ): Promise<void> | undefined {
    if (!("value" in result)) return undefined;
    // The round after it looks at all that is due.
    if (this.#hasEvent) return this.#upkeep.recordEvent()?.catch(logAlarmError);
    // The ends of grants may have come back.
    if (name === "clawback") return this.#upkeep.schedule().catch(logAlarmError);
    if (name !== "debit" || (result.value as DebitOutcome).outcome !== "debited") return undefined;
    const { now, idempotency } = order as DebitOrder;
    return this.#upkeep.note({ now, repeatable: idempotency !== null })?.catch(logAlarmError);
  }
}

const logAlarmError = (cause: unknown) =>
  console.error(JSON.stringify({ message: NO_ALARM, cause: String(cause) }));
const UNUSABLE = "The ledger of an account cannot be used by this version; its calls get 503";
const NO_ALARM = "No alarm could be set for the upkeep of an account; the next call tries again";

type Env = { DB?: D1; LEDGER?: { getByName(name: string): ReadinessStub } };

export type CallResult =
  | { value: Counted<DebitOutcome | KeyStatus> }
  | Extract<BatchResult, { error: unknown }>;

/** The Worker's door has judged the text; where it was not good, no call comes here. */
function rollUpAfterDaysOf(env: unknown): number {
  const days = Number(
    (env as { TOOLBOOTH_ROLL_UP_AFTER_DAYS?: unknown }).TOOLBOOTH_ROLL_UP_AFTER_DAYS,
  );
  return days >= ROLL_UP_AFTER_DAYS_MIN ? days : ROLL_UP_AFTER_DAYS_DEFAULT;
}
