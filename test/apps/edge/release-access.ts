/** Access of tests to the Worker of a release, and to the objects of another one through it. */
import { NotCarriedOut } from "#ledger/port.ts";
import { callLedgerOfObjects, reversalsOfObjects } from "#stores/durable-object/ledger.ts";
import type { ObjectNamespace } from "#stores/durable-object/objects.ts";
import type { ReadinessStub } from "#stores/durable-object/readiness.ts";
import type { RequestLogStub } from "#stores/durable-object/request-log-stub.ts";
import type { BatchStub, LedgerStub } from "#stores/durable-object/rpc.ts";
import { sendToObject } from "#stores/durable-object/sending.ts";
import { unwrap } from "#stores/sqlite/batch.ts";
import worker from "../../../src/apps/edge/api-worker.ts";
import { wrappedObjects } from "../../support/wrapped-objects.ts";

export type TestEnv = { stub: Stub; env: Parameters<typeof worker.fetch>[1] };
type Stub = LedgerStub & BatchStub & ReadinessStub & RequestLogStub & { holdAll(): Promise<never> };

/** `asRelease`: how the Worker of a release uses an object. */
export function createTestWorker(asRelease: (stub: Stub) => LedgerStub) {
  /** The Worker caches what it creates for an `env`, so there is only one. */
  let own: TestEnv["env"] | undefined;
  return {
    async fetch(request: Request, env: TestEnv["env"]): Promise<Response> {
      const find = (name: string) => env.LEDGER.getByName(name) as Stub;
      own ??= {
        ...env,
        LEDGER: wrappedObjects(env.LEDGER as ObjectNamespace<Stub>, (stub) => ({
          ...asRelease(stub),
          reportFault: (fault) => stub.reportFault(fault),
          requestLog: (name, order) => stub.requestLog(name, order),
        })),
      };
      const { pathname } = new URL(request.url);
      if (!pathname.startsWith("/test/")) return worker.fetch(request, own);
      if (pathname === "/test/kept") {
        const kept = await env.DB?.prepare("SELECT * FROM job WHERE queue = 'reversal'").all();
        return Response.json(kept?.results);
      }
      const asked = (await request.json()) as Asked;
      if (pathname === "/test/perform") {
        const stub = own.LEDGER.getByName(asked.object);
        return Response.json(await stub.perform(asked.name as never, asked.order));
      }
      return Response.json(await tell(tryNew(() => find(asked.object), asked)));
    },
  };
}

type Asked = { object: string; name: string; order: never };

/** What may be new in a release, as its Worker would use it. */
async function tryNew(find: () => Stub, { name, order }: Asked): Promise<unknown> {
  const options = { target: "The object", isRepeatable: true };
  switch (name) {
    case "operation":
      return unwrap(await find().perform("holdCredits" as never, order));
    case "kind":
      return unwrap(await find().call("hold" as never, order, null, false));
    case "method":
      return sendToObject(() => find().holdAll(), options);
    case "outcome":
      return callLedgerOfObjects(find, 0).debit(
        { ...(order as object), asksForPromotion: true } as never,
        true,
      );
    default:
      return reversalsOfObjects(find)("", [order]);
  }
}

const tell = (tried: Promise<unknown>) =>
  tried.then(
    (value) => ({ value }),
    (error) => ({ isNotCarriedOut: error instanceof NotCarriedOut, message: String(error) }),
  );
