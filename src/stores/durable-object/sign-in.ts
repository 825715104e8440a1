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

/** What is forgotten is removed this often, while there is something. */
const SWEEP_AFTER_MS = 15 * 60_000;

/**
 * How fast passwords can be tried at the edge, where an isolate's memory is none: one object for each share of the names. It
 * keeps its counts in a database of its own, so that it can be put away in between and forgets nothing. Names are keyed hashes;
 * whose they are is not known here.
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

  /** For how long a try is refused; 0 where it is not. */
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
    this.#rows("DELETE FROM kept WHERE forget_at <= ?", Date.now());
    const isEmpty = this.#rows("SELECT name FROM kept LIMIT 1").length === 0;
    this.#hasAlarm = !isEmpty;
    if (!isEmpty) await this.#storage.setAlarm(Date.now() + SWEEP_AFTER_MS);
  }

  #read<State>(name: string): State | undefined {
    const row = this.#rows("SELECT state FROM kept WHERE name = ?", name)[0];
    return row === undefined ? undefined : (JSON.parse(String(row["state"])) as State);
  }

  async #keep(name: string, state: object, forgetAt: number): Promise<void> {
    this.#rows(
      "INSERT OR REPLACE INTO kept (name, state, forget_at) VALUES (?, ?, ?)",
      ...[name, JSON.stringify(state), forgetAt],
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
