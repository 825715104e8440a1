import { DurableObject } from "cloudflare:workers";
import { countRequest, type RequestCount, type RequestRule } from "#accounts/request-counts.ts";
import type { ObjectStorage } from "./driver.ts";
import { logRoundFailure, setAlarmSurely } from "./next-alarm.ts";

/** Expired counts are deleted at this interval while there are any. */
const SWEEP_AFTER_MS = 15 * 60_000;

/**
 * Counts requests at the edge, where the memory of an isolate cannot count them: a client may reach another isolate. The
 * names are distributed over several objects. An object stores its counts in its database, so that they survive its eviction. Names
 * are keyed hashes, so the object does not know whose requests it counts.
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

  async countRequest(name: string, rule: RequestRule, at: number) {
    const { next, ...outcome } = countRequest(this.#read(name), rule, at);
    if (next !== undefined) await this.#keep(name, next, next.at + rule.window * 1_000);
    return outcome;
  }

  async giveBack(name: string): Promise<void> {
    this.#rows(
      "UPDATE kept SET state = json_set(state, '$.count', max(json_extract(state, '$.count') - 1, 0)) WHERE name = ?",
      name,
    );
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

  #read(name: string): RequestCount | undefined {
    const row = this.#rows("SELECT state FROM kept WHERE name = ?", name)[0];
    return row === undefined ? undefined : (JSON.parse(String(row["state"])) as RequestCount);
  }

  async #keep(name: string, state: RequestCount, forgetAt: number): Promise<void> {
    this.#rows(
      "INSERT OR REPLACE INTO kept (name, state, forget_at) VALUES (?, ?, ?)",
      name,
      JSON.stringify(state),
      forgetAt,
    );
    if (this.#hasAlarm) return;
    if ((await this.#storage.getAlarm()) === null) {
      await this.#storage.setAlarm(Date.now() + SWEEP_AFTER_MS);
    }
    this.#hasAlarm = true;
  }

  #rows(query: string, ...values: (string | number)[]) {
    return this.#storage.sql.exec(query, ...values).toArray();
  }
}
