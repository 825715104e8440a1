/** A Worker that hands ledger operations to the object which a header names: the store itself, in workerd. */
import type { LedgerStub } from "#store/durable-object-ledger.ts";

export { AccountLedger } from "#store/durable-object.ts";

type Env = { LEDGER: { getByName(name: string): LedgerStub } };

type Asked =
  | { name: Parameters<LedgerStub["perform"]>[0]; order: unknown }
  | { kind: Parameters<LedgerStub["call"]>[0]; order: unknown; callsPerSecond: number };

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const asked = (await request.json()) as Asked;
    const stub = env.LEDGER.getByName(request.headers.get("x-test-object") ?? "");
    const answer =
      "name" in asked
        ? stub.perform(asked.name, asked.order)
        : stub.call(asked.kind, asked.order, asked.callsPerSecond);
    return Response.json(await answer);
  },
};
