import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { listAppPages, renderAppPage } from "#site/app-pages.ts";
import { EARLY_REQUESTS } from "#site/early-requests.ts";
import { FULL } from "./pages-server.ts";

const VISITOR = "/dashboard/visitor";
const LOG = ["/dashboard/requests", "/dashboard/requests/summary"];

/**
 * Runs the script in a page whose head lists `paths`; `visitor` is the response to it, or an error. `wasMember`: whether the
 * browser remembers a session. A rejection that nothing handles fails the test.
 */
async function openPage(paths: readonly string[], visitor: object, wasMember = false) {
  const sent: string[] = [];
  const metas: Record<string, string> = { base: "/tools", data: [VISITOR, ...paths].join(" ") };
  const submits: ((event: object) => void)[] = [];
  const page = {
    documentElement: { hasAttribute: () => wasMember },
    querySelector: (selector: string) => ({ content: metas[selector.slice(20, -1)] }),
    addEventListener: (_: string, listener: (event: object) => void) => submits.push(listener),
  };
  const scope: { toolboothResponses?: Map<string, Promise<Response>> } = {};
  runInNewContext(EARLY_REQUESTS, {
    document: page,
    location: { search: "" },
    AbortSignal,
    setTimeout: () => 0,
    fetch: async (path: string) => {
      sent.push(path);
      if (visitor instanceof Error) throw visitor;
      return Response.json(path.endsWith(VISITOR) ? visitor : {});
    },
    set toolboothResponses(responses: Map<string, Promise<Response>>) {
      scope.toolboothResponses = responses;
    },
    get toolboothResponses(): unknown {
      return scope.toolboothResponses;
    },
  });
  await setImmediate();
  await setImmediate();
  return { sent, submits, responses: scope.toolboothResponses ?? new Map() };
}

const MEMBER = { user: { email: "ada@example.com" } };

test("what a page shows first is requested for a user, and can be read", async () => {
  for (const wasMember of [true, false]) {
    const { sent, responses } = await openPage(LOG, MEMBER, wasMember);
    assert.deepEqual(
      sent,
      [VISITOR, ...LOG].map((path) => `/tools${path}`),
    );
    assert.deepEqual(await (await responses.get(VISITOR)).json(), MEMBER);
    for (const path of LOG) assert.equal((await responses.get(path)).status, 200);
  }
});

test("without a session or a connection nothing more is requested, and no rejection is left unhandled", async () => {
  for (const paths of [[], LOG]) {
    for (const visitor of [{ user: null }, new Error("offline")]) {
      const { sent, responses } = await openPage(paths, visitor);
      assert.deepEqual(sent, [`/tools${VISITOR}`]);
      for (const path of paths) await assert.rejects(responses.get(path), path);
    }
  }
  const { responses } = await openPage(LOG, new Error("offline"), true);
  for (const path of LOG) await assert.rejects(responses.get(path), /offline/);
});

test("the head lists the request log only where one is kept", () => {
  const page = listAppPages(FULL.tools, FULL.publicUrl).find(({ path }) => path === "/requests");
  assert.ok(page);
  for (const requestLog of [true, false]) {
    const options = { ...FULL, dashboard: { ...FULL.dashboard, requestLog } };
    const head = renderAppPage(page, options, null);
    const data = head.match(/<meta name="toolbooth-data" content="([^"]*)">/)?.[1] ?? "";
    assert.equal(data.includes("/dashboard/requests"), requestLog, data);
    assert.ok(data.startsWith(VISITOR));
  }
});

test("a form of the server is not sent by the browser but marked; another form is left alone", async () => {
  const { submits } = await openPage([], MEMBER);
  for (const isDrawn of [true, false]) {
    const attributes = new Set(isDrawn ? ["data-drawn"] : []);
    let isPrevented = false;
    submits[0]?.({
      target: {
        hasAttribute: (name: string) => attributes.has(name),
        setAttribute: (name: string) => attributes.add(name),
      },
      preventDefault: () => {
        isPrevented = true;
      },
    });
    assert.deepEqual([isPrevented, attributes.has("data-submitted")], [isDrawn, isDrawn]);
  }
});
