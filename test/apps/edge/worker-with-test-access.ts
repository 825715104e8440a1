/** The API Worker with an extra route that gives tests access to an account's object. */
import type { LedgerStub } from "#stores/durable-object/rpc.ts";
import worker from "../../../src/apps/edge/api-worker.ts";

export { AccountLedger } from "../../../src/apps/edge/api-worker.ts";

type Env = Parameters<typeof worker.fetch>[1];
type Order = { object: string; name: Parameters<LedgerStub["perform"]>[0]; order: unknown };

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== "/test/perform") return worker.fetch(request, env);
    const { object, name, order } = (await request.json()) as Order;
    return Response.json(await env.LEDGER.getByName(object).perform(name, order));
  },
};
