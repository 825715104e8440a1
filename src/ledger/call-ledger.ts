import {
  type DebitOrder,
  type DebitOutcome,
  type HasKeyId,
  type HoldOrder,
  type HoldOutcome,
  type KeyRate,
  type KeyStatus,
  type KeyStatusOrder,
  type Ledger,
  NotCarriedOut,
} from "./port.ts";
import { createThrottle, type Rate, type Throttle } from "./throttle.ts";

/**
 * The ledger as a call uses it. Each operation also counts the call against the rate limits of the account and of the key. A
 * rejected key or a suspended account takes precedence over the rate limit, and the rate limit over missing credits.
 */
export type CallLedger = {
  /** Whether each operation is a network round trip. If so, a call should need only one. */
  readonly isRemote: boolean;
  keyStatus(order: KeyStatusOrder): Promise<Counted<KeyStatus>>;
  /** `isCounted`: the call was already counted by `keyStatus`. */
  debit(order: DebitOrder, isCounted: boolean): Promise<Counted<DebitOutcome>>;
  /** Holds the price of a call that is charged after its work; `isCounted` as for `debit`. `settle`, `release` and `renew` are not counted. */
  hold(order: HoldOrder, isCounted: boolean): Promise<Counted<HoldOutcome>>;
  readonly settle: Ledger["settle"];
  readonly release: Ledger["release"];
  readonly renew: Ledger["renew"];
  /** Whether the account or the key is known, without a round trip, to have used up its rate. */
  isOverRate(call: CountedCall): boolean;
  /** The calls for which a stop waits. Omitted for a remote ledger. */
  readonly openHolds?: Pick<OpenHolds, "during">;
};

/** What a call asks for and is counted with, each with its order and its outcome. */
export type CallOperations = {
  debit: [DebitOrder, DebitOutcome];
  hold: [HoldOrder, HoldOutcome];
  keyStatus: [KeyStatusOrder, KeyStatus];
};
export type CallOperation = keyof CallOperations;
export type CallOrder = CallOperations[CallOperation][0];
export type CallOutcome = CallOperations[CallOperation][1];

export type Counted<Outcome> = {
  /** `by`: the limit that rejects the call. */
  outcome: Outcome | ({ outcome: "rate_limited"; balance: number; by: Rate } & HasKeyId);
  /**
   * The stricter one of the rates. Null if there is no limit, if the call was counted before, or if the key does not belong to
   * the account.
   */
  rate: Rate | null;
};

/** A ledger on this machine. This process counts the rates. */
export class LocalCallLedger implements CallLedger {
  readonly isRemote = false;
  /** How the debits and holds of the last seconds ended. */
  readonly recentDebits: RecentDebits;
  /** The calls that hold their price here. */
  readonly openHolds = new OpenHolds();
  readonly settle: Ledger["settle"];
  readonly release: Ledger["release"];
  readonly renew: Ledger["renew"];
  /** The ledger, whose debits and holds are recorded. */
  readonly #ledger: AskedLedger;
  readonly #rates: CallRates;
  readonly #elapsed: () => number;

  /** `isOfOneOrder`: whether other debits may succeed although one failed with this error. */
  constructor(
    ledger: Pick<Ledger, "keyStatus" | "debit" | "hold" | "settle" | "release" | "renew">,
    callsPerSecond: number,
    elapsed: () => number,
    isOfOneOrder: (error: unknown) => boolean = () => false,
  ) {
    this.recentDebits = new RecentDebits(elapsed, isOfOneOrder);
    this.#ledger = {
      keyStatus: ledger.keyStatus,
      debit: (order) => this.recentDebits.record(ledger.debit(order)),
      hold: (order) => this.openHolds.made(order, this.recentDebits.record(ledger.hold(order))),
    };
    this.settle = (order) => this.openHolds.ended(order, ledger.settle(order));
    this.release = (order) => this.openHolds.ended(order, ledger.release(order));
    this.renew = ledger.renew;
    this.#rates = new CallRates(callsPerSecond);
    this.#elapsed = elapsed;
  }

  keyStatus(order: KeyStatusOrder): Promise<Counted<KeyStatus>> {
    return this.#rates.ask("keyStatus", this.#ledger, order, this.#elapsed());
  }

  debit(order: DebitOrder, isCounted: boolean): Promise<Counted<DebitOutcome>> {
    return isCounted
      ? uncounted(this.#ledger.debit(order))
      : this.#rates.ask("debit", this.#ledger, order, this.#elapsed());
  }

  hold(order: HoldOrder, isCounted: boolean): Promise<Counted<HoldOutcome>> {
    return isCounted
      ? uncounted(this.#ledger.hold(order))
      : this.#rates.ask("hold", this.#ledger, order, this.#elapsed());
  }

  isOverRate(call: CountedCall): boolean {
    return this.#rates.isUsedUp(call, this.#elapsed());
  }
}

/** The calls that are settled or released by this process, so that a stop can wait until all are. */
export class OpenHolds {
  /** The ids of calls, and the work of those that are settled later. */
  readonly #calls = new Set<string | Promise<void>>();
  #none: PromiseWithResolvers<void> | null = null;

  /** A hold that fails is released by its call, unless it is certain that it was not made. */
  async made({ callId }: HoldOrder, holding: Promise<HoldOutcome>): Promise<HoldOutcome> {
    this.#calls.add(callId);
    try {
      const outcome = await holding;
      if (outcome.outcome !== "held") this.#end(callId);
      return outcome;
    } catch (cause) {
      if (cause instanceof NotCarriedOut) this.#end(callId);
      throw cause;
    }
  }

  async ended<Outcome>({ callId }: { callId: string }, ending: Promise<Outcome>): Promise<Outcome> {
    try {
      return await ending;
    } finally {
      this.#end(callId);
    }
  }

  /** A call is settled later, until this work has ended. */
  during(settling: Promise<void>): void {
    this.#calls.add(settling);
    void settling.finally(() => this.#end(settling));
  }

  /** Resolves when there is none. */
  async whenNone(): Promise<void> {
    if (this.#calls.size === 0) return;
    this.#none ??= Promise.withResolvers();
    await this.#none.promise;
  }

  #end(call: string | Promise<void>): void {
    this.#calls.delete(call);
    if (this.#calls.size > 0) return;
    this.#none?.resolve();
    this.#none = null;
  }
}

/** This second and the one before: after thousands of successes, a full disk must not take long to outweigh them. */
const WINDOW_S = 2;
/** A success that is older does not tell, because debits that have begun since may be waiting for a database that does not respond. */
const SUCCESS_COUNTS_MS = 2_000;
/** After a fault, the next second decides. */
const FAULT_COUNTS_MS = 1_000;

/** The debits that ended within a second of the clock. */
type Second = { second: number; good: number; bad: number };
const newSecond = (second: number): Second => ({ second, good: 0, bad: 0 });

/** How the debits of the last seconds ended, by which a node knows whether calls succeed. */
export class RecentDebits {
  readonly #elapsed: () => number;
  readonly #isOfOneOrder: (error: unknown) => boolean;
  readonly #seconds: Second[] = Array.from({ length: WINDOW_S }, () => newSecond(-1));
  #goodAt = Number.NEGATIVE_INFINITY;
  #badAt = Number.NEGATIVE_INFINITY;
  #isLastGood = true;
  #fault: unknown = null;

  /** `isOfOneOrder`: whether other debits may succeed although one failed with this error. */
  constructor(elapsed: () => number, isOfOneOrder: (error: unknown) => boolean) {
    this.#elapsed = elapsed;
    this.#isOfOneOrder = isOfOneOrder;
  }

  record<Outcome>(debit: Promise<Outcome>): Promise<Outcome> {
    debit.then(this.#succeeded, this.#failed);
    return debit;
  }

  /**
   * Debits fail if at least half of those of the last two seconds met a fault. They succeed again when one has succeeded since and
   * none failed for a second: so a fault that lets some pass does not make the verdict alternate. Null: they do not tell.
   */
  verdict(): "ready" | { fault: unknown } | null {
    const now = this.#elapsed();
    const since = Math.floor(now / 1_000) - WINDOW_S;
    let [good, bad] = [0, 0];
    for (const slot of this.#seconds) {
      if (slot.second <= since) continue;
      good += slot.good;
      bad += slot.bad;
    }
    const isFailing = bad > 0 && bad >= good;
    if (isFailing && now - this.#badAt < FAULT_COUNTS_MS) return { fault: this.#fault };
    const hasSucceeded = now - this.#goodAt < SUCCESS_COUNTS_MS;
    return hasSucceeded && (!isFailing || this.#isLastGood) ? "ready" : null;
  }

  readonly #succeeded = (): void => {
    this.#goodAt = this.#elapsed();
    this.#isLastGood = true;
    this.#currentSecond().good += 1;
  };

  readonly #failed = (error: unknown): void => {
    if (this.#isOfOneOrder(error)) return;
    this.#badAt = this.#elapsed();
    this.#isLastGood = false;
    this.#fault = error;
    this.#currentSecond().bad += 1;
  };

  #currentSecond(): Second {
    const second = Math.floor(this.#elapsed() / 1_000);
    const current = this.#seconds[second % WINDOW_S] as Second;
    if (current.second !== second) Object.assign(current, newSecond(second));
    return current;
  }
}

/** The outcome for a call that was counted before. */
export const uncounted = async <Outcome>(
  performed: Outcome | Promise<Outcome>,
): Promise<Counted<Outcome>> => ({ outcome: await performed, rate: null });

/** What decides about a call that is counted. A Durable Object responds without a promise. */
export type AskedLedger = {
  [Name in CallOperation]: (
    order: CallOperations[Name][0],
  ) => CallOperations[Name][1] | Promise<CallOperations[Name][1]>;
};

type CountedCall = { account: string; keySha256: string };

/** Keys with a rate of their own that are remembered, about 200 bytes each. The oldest is dropped first. */
const KEY_RATES_MAX = 20_000;

/**
 * Counts calls against the rate of their account and against that of their key, if it has one of its own. A key's rate is stored
 * with the key, so the process learns it from the outcomes of the key's calls: a change counts from the second call on.
 *
 * The rate is counted before the ledger is asked, because that needs no access to it. The count is undone if the key does not
 * belong to the account, has expired or may not be used for this call: otherwise a key that was stolen, and is of no use to the
 * thief because of its limits, could use up the rate of its account.
 */
export class CallRates {
  readonly #accounts: Throttle;
  /** By calls per second. */
  readonly #throttles = new Map<number, Throttle>();
  /** By the SHA-256 of the secret. */
  readonly #known = new Map<string, KeyRate>();

  constructor(callsPerSecond: number) {
    this.#accounts = createThrottle(callsPerSecond);
  }

  /**
   * Counts a call and asks the ledger. `at`: the time of the call by the clock of the rates, in milliseconds. `isAgain`: the order was
   * sent before and its response was lost; it may have been charged, so the rate limit does not reject it.
   */
  ask<Name extends CallOperation>(
    name: Name,
    ledger: Pick<AskedLedger, Name | "keyStatus">,
    order: CallOperations[Name][0],
    at: number,
    isAgain?: boolean,
  ): Promise<Counted<CallOperations[Name][1]>>;
  async ask(
    name: CallOperation,
    ledger: AskedLedger,
    order: CallOrder,
    at: number,
    isAgain = false,
  ): Promise<Counted<CallOutcome>> {
    const knew = this.#knows(order);
    const rate = this.take(order, at);
    if (rate?.allowed === false && !isAgain) return this.#reject(ledger, order, rate, at);
    const outcome: CallOutcome = await ledger[name](order as never);
    const counted = this.#counted(order, outcome, rate, at, knew);
    // Calls with a key whose rate was not known may have come together, and a status is asked for before any work.
    const isLate = counted !== rate && counted?.allowed === false;
    if (!isLate || outcome.outcome !== "good" || isAgain) return { outcome, rate: counted };
    this.#accounts.putBack(order.account);
    return { outcome: rateLimited(outcome, counted), rate: counted };
  }

  /** Counts a call. Null if there is no limit. A call that is rejected is not counted. */
  take({ account, keySha256 }: CountedCall, at: number): Rate | null {
    const rate = this.#accounts.take(account, at);
    const keyRate = this.#known.size === 0 ? undefined : this.#known.get(keySha256);
    if (keyRate === undefined) return this.#accounts.policy === null ? null : rate;
    if (!rate.allowed) return rate;
    const ofKey = this.#takeKey(keyRate, at);
    if (!ofKey.allowed) this.#accounts.putBack(account);
    const isStricter = !ofKey.allowed || ofKey.remaining <= rate.remaining;
    return this.#accounts.policy === null || isStricter ? ofKey : rate;
  }

  /** Undoes what `take` counted. */
  putBack({ account, keySha256 }: CountedCall): void {
    this.#accounts.putBack(account);
    const keyRate = this.#known.get(keySha256);
    if (keyRate !== undefined) this.#throttleOf(keyRate).putBack(String(keyRate.keyNo));
  }

  /**
   * Learns the rate of the key from an outcome. Returns the rate after the call was counted against it, if `take` could not
   * count it because the key's rate was not known then (`knew` is false) or is another one now.
   */
  learn(
    { keySha256 }: CountedCall,
    keyRate: KeyRate | undefined,
    at: number,
    knew = true,
  ): Rate | null {
    const before = this.#known.size === 0 ? undefined : this.#known.get(keySha256);
    if (keyRate === undefined) {
      if (before !== undefined) this.#known.delete(keySha256);
      return null;
    }
    if (before?.callsPerSecond === keyRate.callsPerSecond)
      // Of calls that came together, the first one has made the rate known.
      return knew ? null : this.#takeKey(keyRate, at);
    if (this.#known.size >= KEY_RATES_MAX)
      this.#known.delete(this.#known.keys().next().value as string);
    this.#known.set(keySha256, keyRate);
    return this.#takeKey(keyRate, at);
  }

  /** Whether the next call would be rejected; does not count a call. */
  isUsedUp({ account, keySha256 }: CountedCall, at: number): boolean {
    const keyRate = this.#known.get(keySha256);
    return (
      this.#accounts.isUsedUp(account, at) ||
      (keyRate !== undefined && this.#throttleOf(keyRate).isUsedUp(String(keyRate.keyNo), at))
    );
  }

  /** Whether the rate of the key is known, so that `take` counts the call against it. */
  #knows({ keySha256 }: CountedCall): boolean {
    return this.#known.size > 0 && this.#known.has(keySha256);
  }

  /** Undoes the count of a rejected key, or learns the rate of the key. Returns the rate that the client is told. */
  #counted(
    order: CountedCall,
    outcome: CallOutcome,
    rate: Rate | null,
    at: number,
    knew: boolean,
  ): Rate | null {
    if (!isKeyRejected(outcome)) return this.learn(order, keyRateOf(outcome), at, knew) ?? rate;
    if (rate?.allowed !== false) this.putBack(order);
    return hasRate(outcome) ? rate : null;
  }

  /** A call over the rate limit: its key may still be rejected, or its account suspended. */
  async #reject(
    ledger: Pick<AskedLedger, "keyStatus">,
    order: CallOrder,
    rate: Rate,
    at: number,
  ): Promise<Counted<RejectedStatus>> {
    const { account, keySha256, now, tool = null, credits = 0, address = null } = order;
    const { namesKey = false } = order;
    const asked = { account, keySha256, now, tool, credits, address, namesKey };
    const status = await ledger.keyStatus(asked);
    if (status.outcome !== "good") return { outcome: status, rate: hasRate(status) ? rate : null };
    this.learn(order, status.keyRate, at, true);
    return { outcome: rateLimited(status, rate), rate };
  }

  #throttleOf({ callsPerSecond }: KeyRate): Throttle {
    let throttle = this.#throttles.get(callsPerSecond);
    if (throttle === undefined) {
      throttle = createThrottle(callsPerSecond, "key");
      this.#throttles.set(callsPerSecond, throttle);
    }
    return throttle;
  }

  #takeKey(keyRate: KeyRate, at: number): Rate {
    return this.#throttleOf(keyRate).take(String(keyRate.keyNo), at);
  }
}

const rateLimited = ({ balance, keyId }: { balance: number } & HasKeyId, by: Rate) => ({
  outcome: "rate_limited" as const,
  balance,
  by,
  ...(keyId !== undefined && { keyId }),
});

type RejectedStatus = Exclude<KeyStatus, { outcome: "good" }>;
type KeyRejected = Extract<
  CallOutcome,
  { outcome: "invalid_key" | "key_expired" | "key_not_allowed" }
>;

const isKeyRejected = (outcome: CallOutcome): outcome is KeyRejected =>
  outcome.outcome === "invalid_key" ||
  outcome.outcome === "key_expired" ||
  outcome.outcome === "key_not_allowed";

/** Whether the client is told the rate: only if its key works. */
const hasRate = ({ outcome }: CallOutcome): boolean =>
  outcome !== "invalid_key" && outcome !== "key_expired";

const keyRateOf = (outcome: CallOutcome): KeyRate | undefined =>
  "keyRate" in outcome ? outcome.keyRate : undefined;
