/** The API Worker whose requests to its objects fail as a header says. */
import { createD1Database } from "#stores/sql/d1-database.ts";
import { wrappedObjects } from "../../support/wrapped-objects.ts";
import worker from "./worker-with-test-access.ts";

export { AccountLedger } from "../../../src/apps/edge/api-worker.ts";

type Env = Parameters<typeof worker.fetch>[1];
type Stub = ReturnType<Env["LEDGER"]["getByName"]>;

let trouble = "";
/** The Worker caches what it creates for an `env`, so there is only one. */
let troubled: Env | undefined;

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/test/perform") return worker.fetch(request, env);
    if (pathname === "/test/kept") {
      const query = { sql: "SELECT * FROM job WHERE queue = 'reversal'", values: [] };
      const [stored = []] = env.DB ? await createD1Database(env.DB).batch([query]) : [];
      return Response.json(stored);
    }
    trouble = request.headers.get("x-test-trouble") ?? "";
    troubled ??= {
      ...env,
      LEDGER: wrappedObjects(env.LEDGER, stubInTrouble),
    };
    return worker.fetch(request, troubled);
  },
};

function stubInTrouble(stub: Stub): Stub {
  return {
    reportFault: (fault) => stub.reportFault(fault),
    async requestLog(...asked) {
      if (trouble === "no log") throw new Error("internal error of db-9.internal");
      return stub.requestLog(...asked);
    },
    async perform(name, order) {
      if (trouble === "gone") throw new Error("internal error of db-7.internal");
      return stub.perform(name, order);
    },
    async call(...asked) {
      if (trouble === "overloaded")
        throw Object.assign(new Error("busy: db-8.internal"), { overloaded: true });
      const result = await stub.call(...asked);
      if (trouble === "moves once") {
        trouble = "";
        throw Object.assign(new Error("moved"), { retryable: true });
      }
      if (trouble !== "" && trouble !== "no log")
        throw new Error("internal error of db-7.internal");
      return result;
    },
  };
}
