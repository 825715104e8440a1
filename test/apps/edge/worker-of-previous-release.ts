/** The API Worker of the release before this one: it lacks what was added since, as far as it could. */
import { DurableObject } from "cloudflare:workers";
import type { Counted } from "#ledger/call-ledger.ts";
import type { DebitOutcome, KeyStatus } from "#ledger/port.ts";
import { AccountLedger as ObjectLedger } from "#stores/durable-object/account-object.ts";
import type { CallResult, LedgerStub } from "#stores/durable-object/rpc.ts";
import { createTestWorker } from "./release-access.ts";

/** Without the method `performAll`, and without the optional fields of the outcomes of calls. */
export class AccountLedger extends DurableObject {
  readonly #ledger: ObjectLedger;

  constructor(...given: ConstructorParameters<typeof ObjectLedger>) {
    super(given[0] as never, given[1] as never);
    this.#ledger = new ObjectLedger(...given);
  }

  perform(...given: Parameters<LedgerStub["perform"]>): ReturnType<LedgerStub["perform"]> {
    return this.#ledger.perform(...given);
  }

  async call(...given: Parameters<ObjectLedger["call"]>): Promise<CallResult> {
    const result = await this.#ledger.call(...given);
    if (!("value" in result)) return result;
    const { keyId: _, keyRate: __, replayable: ___, ...outcome } = result.value.outcome as Fields;
    return { value: { ...result.value, outcome } as Counted<DebitOutcome | KeyStatus> };
  }

  reportFault(fault: string): void {
    this.#ledger.reportFault(fault);
  }

  alarm(): Promise<void> {
    return this.#ledger.alarm();
  }
}

type Fields = Record<string, unknown>;

/** Without the optional fields of the orders of calls. */
export default createTestWorker((stub) => ({
  perform: (name, order) => stub.perform(name, order),
  call(kind, order, ...rest) {
    const { address: _, tool, credits, namesKey: __, ...sent } = order as Fields;
    return stub.call(kind, kind === "debit" ? { ...sent, tool, credits } : sent, ...rest);
  },
}));
