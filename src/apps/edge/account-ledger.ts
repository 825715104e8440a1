import { DurableObject } from "cloudflare:workers";
import type { AccountLedger as Loaded } from "#stores/durable-object/account-object.ts";
import type { ObjectStorage } from "#stores/durable-object/driver.ts";

type State = { storage: ObjectStorage; blockConcurrencyWhile(work: () => Promise<void>): unknown };

/**
 * The class of accounts' objects that the platform knows. What an object does is a module that the first object of an isolate loads: it
 * is half of the Worker, and isolates that make calls near their clients have no objects (docs/decisions/0060).
 */
export class AccountLedger extends DurableObject {
  #loaded!: Loaded;

  constructor(state: State, env: unknown) {
    super(state as never, env as never);
    // The platform delivers nothing to the object before this has ended.
    state.blockConcurrencyWhile(async () => {
      const { AccountLedger: Ledger } = await import("#stores/durable-object/account-object.ts");
      this.#loaded = new Ledger(state, env);
    });
  }

  perform(...given: Parameters<Loaded["perform"]>) {
    return this.#loaded.perform(...given);
  }

  performAll(...given: Parameters<Loaded["performAll"]>) {
    return this.#loaded.performAll(...given);
  }

  call(...given: Parameters<Loaded["call"]>) {
    return this.#loaded.call(...given);
  }

  alarm() {
    return this.#loaded.alarm();
  }

  reportFault(fault: string) {
    return this.#loaded.reportFault(fault);
  }

  move(...given: Parameters<Loaded["move"]>) {
    return this.#loaded.move(...given);
  }

  requestLog(...given: Parameters<Loaded["requestLog"]>) {
    return this.#loaded.requestLog(...given);
  }
}
