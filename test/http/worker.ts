/**
 * The app of the edge in workerd, over the objects that hold the accounts, with a backstage around both ways to them.
 * Several apps live here at once, named by a header; commands come on a path outside of the API.
 */

import { reverseOrKeep } from "#jobs/reverse-calls.ts";
import type { Audit, Ledger } from "#ledger/port.ts";
import { addTotals, zeroTotals } from "#ledger/reconcile.ts";
import { createSite } from "#site/site.ts";
import { apiOptionsOf } from "#site/site-context.ts";
import { TOOLS } from "#tools/registry.ts";
import { createEdgeApi } from "../../src/apps/edge/api.ts";
import { createEdgeAppContext, randomBytes, type WorkerEnv } from "../../src/apps/edge/platform.ts";
import { LAZY_TOOLS } from "../../src/apps/edge/tools.ts";
import { wrappedObjects } from "../support/wrapped-objects.ts";
import { BARE_SITE } from "./bare-site.ts";
import { patternedBytes, START } from "./fixed-context.ts";
import { type Command, createBackstage } from "./ledger-access.ts";

export { AccountLedger } from "../../src/apps/edge/api-worker.ts";

export type OpenOrder = {
  texts: Record<string, string>;
  fixed: boolean;
  /** Null: that of the runtime. */
  bodyTimeoutMs: number | null;
};

type Stub = ReturnType<WorkerEnv["LEDGER"]["getByName"]>;

const services = new Map<string, ReturnType<typeof open>>();

function open({ texts, fixed, bodyTimeoutMs }: OpenOrder, env: WorkerEnv) {
  let roundTrips = 0;
  const counted = (stub: Stub): Stub => ({
    reportFault: (fault) => stub.reportFault(fault),
    perform: (...asked) => {
      roundTrips += 1;
      return stub.perform(...asked);
    },
    call: (...asked) => {
      roundTrips += 1;
      return stub.call(...asked);
    },
    requestLog: (...asked) => stub.requestLog(...asked),
  });
  const LEDGER = wrappedObjects(env.LEDGER, counted);
  const context = createEdgeAppContext(
    { ...env, ...texts, LEDGER },
    TOOLS,
    fixed ? patternedBytes : randomBytes,
  );
  const { ledger } = createEdgeAppContext({ ...env, ...texts });
  const time = fixed ? { now: () => START, elapsed: () => 0 } : context;
  const backstage = createBackstage(withWholeAudit(ledger), time, {
    service: context.ledger,
    remote: context.calls,
    roundTrips: () => roundTrips,
  });
  const own = backstage.parts(context.settings);
  const api = createEdgeApi(
    {
      ...context,
      ...own,
      bodyTimeoutMs: bodyTimeoutMs ?? context.bodyTimeoutMs,
      reverseLater: async (call) =>
        context.waitUntil?.(reverseOrKeep(own, call, () => backstage.keep(call))),
    },
    LAZY_TOOLS,
    createSite({
      settings: apiOptionsOf(context, ""),
      ...BARE_SITE,
    }),
  );
  return { api, backstage };
}

/** Where every account has its own books, those of all that were opened here are looked through one after the other. */
function withWholeAudit(ledger: Ledger): Ledger {
  const accounts = new Set<string>();
  return {
    ...ledger,
    openAccount(order) {
      accounts.add(order.account);
      return ledger.openAccount(order);
    },
    async audit({ now }) {
      const whole: Audit = { ok: true, accounts: 0, totals: zeroTotals(), faults: [] };
      for (const account of accounts) {
        const own = await ledger.audit({ now, account });
        whole.ok &&= own.ok;
        whole.accounts += own.accounts;
        whole.faults.push(...own.faults);
        addTotals(whole.totals, own.totals);
      }
      return whole;
    },
  };
}

export type AbandonOrder = {
  path: string;
  headers: [string, string][];
  body: string;
  /** Before the body was sent whole, while the debit is held, or when the answer has begun. */
  when: "sending" | "held" | "answered";
};

/** Calls this service and goes away. Locally nobody but another Worker makes workerd drop what it was doing. */
async function abandon(order: AbandonOrder, env: Env, deps: ReturnType<typeof open>) {
  const gone = new AbortController();
  const body = order.when === "sending" ? neverWhole(order.body) : order.body;
  const init = { method: "POST", headers: order.headers, body, signal: gone.signal };
  const heldNow = async () => (await deps.backstage.perform({ command: "held" })) as number;
  const before = await heldNow();
  const response = env.SELF.fetch(`http://edge${order.path}`, init).catch(() => null);
  if (order.when === "answered") await response;
  if (order.when === "sending") await pause(50);
  if (order.when === "held") {
    let isOver = false;
    void response.then(() => {
      isOver = true;
    });
    while (!isOver && (await heldNow()) <= before) await pause(2);
  }
  gone.abort();
  await response;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function neverWhole(body: string): ReadableStream<Uint8Array> {
  let isSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isSent) return new Promise(() => {});
      isSent = true;
      controller.enqueue(new TextEncoder().encode(body));
      return undefined;
    },
  });
}

type Env = WorkerEnv & { SELF: { fetch: typeof fetch } };

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    const name = request.headers.get("x-test-service") ?? "";
    if (pathname === "/test/open") {
      services.set(name, open((await request.json()) as OpenOrder, env));
      return new Response();
    }
    const deps = services.get(name);
    if (deps === undefined) return new Response("no such service", { status: 500 });
    if (pathname === "/test/abandon") {
      await abandon((await request.json()) as AbandonOrder, env, deps);
      return new Response();
    }
    if (pathname !== "/test/perform") return deps.api.fetch(request);
    try {
      const value = await deps.backstage.perform((await request.json()) as Command);
      return Response.json({ value });
    } catch (error) {
      return Response.json({ error: String(error) });
    }
  },
};
