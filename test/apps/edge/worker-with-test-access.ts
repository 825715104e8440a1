/** The API Worker with extra routes that give tests access to an account's object. */
import worker from "../../../src/apps/edge/api-worker.ts";

export { AccountLedger } from "../../../src/apps/edge/api-worker.ts";

type Env = Parameters<typeof worker.fetch>[1];
type Stub = ReturnType<Env["LEDGER"]["getByName"]>;
type Asked<Method extends "perform" | "requestLog"> = {
  object: string;
  name: Parameters<Stub[Method]>[0];
  order: unknown;
};

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/test/perform") {
      const { object, name, order } = (await request.json()) as Asked<"perform">;
      return Response.json(await env.LEDGER.getByName(object).perform(name, order));
    }
    if (pathname === "/test/request-log") {
      const { object, name, order } = (await request.json()) as Asked<"requestLog">;
      return Response.json(await env.LEDGER.getByName(object).requestLog(name, order));
    }
    return worker.fetch(request, env);
  },
};
