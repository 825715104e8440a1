import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { EARLY_REQUESTS } from "#site/early-requests.ts";

const VISITOR = "/dashboard/visitor";
const LOG = ["/dashboard/requests", "/dashboard/requests/summary"];

/** Runs the script in a page whose head lists `paths`; `visitor` is the response to it, or an error. A rejection that nothing handles fails the test. */
async function openPage(
  paths: readonly string[],
  visitor: object,
  { wasSignedIn = false, search = "" } = {},
) {
  const sent: string[] = [];
  const metas: Record<string, string> = { base: "/tools", data: [VISITOR, ...paths].join(" ") };
  const submits: ((event: object) => void)[] = [];
  const page = {
    documentElement: { hasAttribute: () => wasSignedIn },
    querySelector: (selector: string) => ({ content: metas[selector.slice(20, -1)] }),
    addEventListener: (_: string, listener: (event: object) => void) => submits.push(listener),
  };
  const scope: { toolboothResponses?: Map<string, Promise<Response>> } = {};
  runInNewContext(EARLY_REQUESTS, {
    document: page,
    location: { search },
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

const MEMBER = { user: { email: "ada@example.com" }, requestLog: true };

test("what a page shows first is requested for a user, and can be read", async () => {
  const { sent, responses } = await openPage(LOG, MEMBER);
  assert.deepEqual(
    sent,
    [VISITOR, ...LOG].map((path) => `/tools${path}`),
  );
  assert.deepEqual(await (await responses.get(VISITOR)).json(), MEMBER);
  for (const path of LOG) assert.equal((await responses.get(path)).status, 200);
});

test("without a session, a request log or a connection, nothing more is requested, and no rejection is left unhandled", async () => {
  for (const paths of [[], LOG]) {
    for (const visitor of [
      { user: null },
      { ...MEMBER, requestLog: false },
      new Error("offline"),
    ]) {
      const { sent, responses } = await openPage(paths, visitor);
      assert.deepEqual(sent, [`/tools${VISITOR}`]);
      for (const path of paths) await assert.rejects(responses.get(path), path);
    }
  }
  const { sent } = await openPage(["/dashboard/home", ...LOG], { ...MEMBER, requestLog: false });
  assert.deepEqual(sent, [`/tools${VISITOR}`, "/tools/dashboard/home"]);
});

test("where the browser was signed in, a page's own data is requested at once, unless a filter makes it useless", async () => {
  const paths = ["/dashboard/home", ...LOG.map((path) => `${path}?`)];
  const hint = { wasSignedIn: true };
  const away = await openPage(paths, new Error("offline"), hint);
  assert.deepEqual(away.sent, [`/tools${VISITOR}`, "/tools/dashboard/home"]);
  await assert.rejects(away.responses.get("/dashboard/home"));
  const whole = await openPage(paths, MEMBER, hint);
  assert.deepEqual(
    whole.sent.slice(2),
    LOG.map((path) => `/tools${path}`),
  );
  const filtered = await openPage(paths, MEMBER, { ...hint, search: "?status=errors" });
  assert.deepEqual(filtered.sent, [`/tools${VISITOR}`, "/tools/dashboard/home"]);
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
