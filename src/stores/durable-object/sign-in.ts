import { DurableObject } from "cloudflare:workers";
import { countRequest, type RequestCount, type RequestRule } from "#accounts/counted-throttle.ts";
import {
  BUCKET_KEPT_MS,
  type Bucket,
  MISTAKES_KEPT_MS,
  type Mistakes,
  type ThrottleDecision,
  takeTry,
  takeTurn,
} from "#accounts/sign-in-throttle.ts";
import type { ObjectStorage } from "./driver.ts";
import { logRoundFailure, setAlarmSurely } from "./next-alarm.ts";

/** Expired counts are deleted at this interval while there are any. */
const SWEEP_AFTER_MS = 15 * 60_000;

/**
 * Limits password attempts at the edge, where the memory of an isolate cannot count them: a client may reach another isolate. The
 * names are distributed over several objects. An object stores its counts in its database, so that they survive its eviction. Names
 * are keyed hashes, so the object does not know whose attempts it counts.
 */
export class SignInThrottleObject extends DurableObject {
  readonly #storage: ObjectStorage;
  #hasAlarm = false;

  constructor(state: { storage: ObjectStorage }, env: unknown) {
    super(state as never, env as never);
    this.#storage = state.storage;
    this.#rows(
      "CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, state TEXT NOT NULL, forget_at INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    );
  }

  /** Counts an attempt. Returns for how many milliseconds attempts are rejected; 0 if this one is allowed. */
  async takeTry(name: string, at: number): Promise<number> {
    const { bucket, retryAfterMs } = takeTry(this.#read<Bucket>(name), at);
    await this.#keep(name, bucket, at + BUCKET_KEPT_MS);
    return retryAfterMs;
  }

  async takeTurn(name: string, at: number): Promise<ThrottleDecision> {
    const { mistakes, decision } = takeTurn(this.#read<Mistakes>(name), at);
    if (mistakes !== undefined) await this.#keep(name, mistakes, at + MISTAKES_KEPT_MS);
    return decision;
  }

  async forget(name: string): Promise<void> {
    this.#rows("DELETE FROM kept WHERE name = ?", name);
  }

  async countRequest(name: string, rule: RequestRule, at: number) {
    const { next, ...outcome } = countRequest(this.#read<RequestCount>(name), rule, at);
    if (next !== undefined) await this.#keep(name, next, at + rule.window * 1_000);
    return outcome;
  }

  async alarm(): Promise<void> {
    let isEmpty = false;
    try {
      this.#rows("DELETE FROM kept WHERE forget_at <= ?", Date.now());
      isEmpty = this.#rows("SELECT name FROM kept LIMIT 1").length === 0;
    } catch (cause) {
      logRoundFailure(cause);
    }
    this.#hasAlarm = !isEmpty;
    if (!isEmpty) await setAlarmSurely(this.#storage, Date.now() + SWEEP_AFTER_MS);
  }

  #read<State>(name: string): State | undefined {
    const row = this.#rows("SELECT state FROM kept WHERE name = ?", name)[0];
    return row === undefined ? undefined : (JSON.parse(String(row["state"])) as State);
  }

  async #keep(name: string, state: object, forgetAt: number): Promise<void> {
    this.#rows(
      "INSERT OR REPLACE INTO kept (name, state, forget_at) VALUES (?, ?, ?)",
      name,
      JSON.stringify(state),
      forgetAt,
    );
    if (this.#hasAlarm) return;
    this.#hasAlarm = true;
    if ((await this.#storage.getAlarm()) === null) {
      await this.#storage.setAlarm(Date.now() + SWEEP_AFTER_MS);
    }
  }

  #rows(query: string, ...values: (string | number)[]) {
    return this.#storage.sql.exec(query, ...values).toArray();
  }
}
