import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import type { RequestEntry } from "#accounts/request-log.ts";
import type {
  HomeView,
  RequestSummaryView,
  RequestsView,
  RequestView,
  Visitor,
} from "#api/dashboard/shapes.ts";
import { newKeyId } from "#ids.ts";
import { bundleWorker, startEdge } from "../../http/edge.ts";
import { connectMcp } from "../../http/mcp-client.ts";
import { eventually } from "../../http/test-api.ts";
import { openEdgeSite } from "../../support/edge-site.ts";
import { EDGE_TEXTS, ledgerAt, openEdgeAccount, requestLogAt } from "./edge-ledger.ts";
import { edgeMember, operatorOf } from "./edge-member.ts";
import { openWorkerFixture } from "./fixture.ts";

/** The request log of both Workers, from the call to the pages. */
const TOKEN = "the-operator-of-a-service-in-a-test";
const site = await openEdgeSite({ after }, { texts: { TOOLBOOTH_OPERATOR_TOKEN: TOKEN } });
const operate = operatorOf(site, TOKEN);

async function memberWithKey(name: string) {
  const member = await edgeMember(site, name);
  const id = newKeyId(member.account, randomBytes);
  const order = { account: member.account, id, label: "log", now: Date.now() };
  const { key } = await operate<{ key: string }>("createKey", order);
  const call = async (body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${site.base}/api/v1/hash`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        ...headers,
      },
      body,
    });
    await response.arrayBuffer();
    return response;
  };
  const list = async (query = "") => {
    const { status, body } = await member.get(`/dashboard/requests${query}`);
    assert.equal(status, 200);
    return body as RequestsView;
  };
  const logged = (count: number) =>
    eventually(`${count} calls in the log`, async () => (await list()).requests.length === count);
  return { ...member, id, key, call, list, logged };
}

test("calls and errors of both Workers show on the pages, in the exports and to operators", async () => {
  const { id, key, account, email, call, list, logged, get } = await memberWithKey("ada");
  const visitor = (await get("/dashboard/visitor")).body as Visitor;
  assert.equal(visitor.requestLog, true);
  const longest = "r".repeat(128);
  await call('{"text":"a"}', { "X-Request-Id": longest, "CF-Connecting-IP": "2001:db8::7" });
  const hostile = { "X-Request-Id": `"],["${"x".repeat(200)}`, "CF-Connecting-IP": '1","' };
  assert.equal((await call("{}", hostile)).status, 400);
  const client = await connectMcp({ url: `${site.base}/mcp`, key, revision: "2026-07-28" });
  await client.callTool({ name: "uuid", arguments: {} });
  await client.close();
  await logged(3);

  const { requests, keys, keptDays, keptMax, next } = await list();
  assert.deepEqual([keptDays, keptMax, next], [7, 100_000, null]);
  assert.deepEqual(
    keys.map((each) => each.id),
    [id],
  );
  const byTool = (a: RequestView, b: RequestView) => a.at - b.at;
  const [first, rejected, agent] = requests.toSorted(byTool) as [
    RequestView,
    RequestView,
    RequestView,
  ];
  assert.deepEqual(
    [first.id, first.status, first.key, first.via, first.charged, first.address],
    [longest, 200, id, "http", 0, "2001:db8::7"],
  );
  assert.ok(first.times.total > 0 && (first.times.ledger ?? 0) > 0 && (first.bytes.sent ?? 0) > 50);
  assert.deepEqual([rejected.status, rejected.code], [400, "invalid_request"]);
  assert.match(rejected.id, /^req_/);
  assert.ok(rejected.address === null || !rejected.address.includes('"'));
  assert.deepEqual([agent.tool, agent.via, agent.charged], ["uuid", "mcp", 1]);

  const filtered = async (query: string) => (await list(query)).requests.map((each) => each.id);
  assert.deepEqual(await filtered(`?id=${longest}`), [longest]);
  assert.deepEqual(await filtered("?status=errors"), [rejected.id]);
  assert.deepEqual(await filtered("?tool=uuid&status=ok"), [agent.id]);
  const newest = requests[0] as RequestView;
  assert.deepEqual(await filtered(`?after=${newest.cursor}`), []);
  const summary = (await get("/dashboard/requests/summary")).body as RequestSummaryView;
  assert.deepEqual(
    summary.tools.map(({ tool, requests: count, errors }) => [tool, count, errors]),
    [
      ["hash", 2, 1],
      ["uuid", 1, 0],
    ],
  );
  const home = (await get("/dashboard/home")).body as HomeView;
  assert.deepEqual(
    home.lastErrors?.map((each) => each.id),
    [rejected.id],
  );
  assert.equal(home.days?.at(-1)?.errors, 1);
  const download = await fetch(`${site.base}/dashboard/requests/export?format=csv`);
  assert.equal(download.status, 401);
  const order = { account, before: null, max: 2 };
  const page = await operate<{ rows: RequestEntry[]; next: string | null }>("listRequests", order);
  assert.equal(page.rows.length, 2);
  const rest = await operate<typeof page>("listRequests", { ...order, before: page.next });
  assert.deepEqual([rest.rows.length, rest.next], [1, null]);

  await operate("closeAccount", { account, email, now: Date.now() });
  assert.deepEqual(await site.ledgerRows(account, "SELECT * FROM request_chunk"), []);
});

test("two isolates can write the log of one account, and no entry is lost or mixed up", async () => {
  const { account, key, call, logged, list } = await memberWithKey("bea");
  const client = await connectMcp({ url: `${site.base}/mcp`, key, revision: "2026-07-28" });
  const ids = Array.from({ length: 15 }, (_, no) => `own_${no}`);
  await Promise.all([
    ...ids.map((id) => call('{"text":"a"}', { "X-Request-Id": id })),
    ...ids.map(() => client.callTool({ name: "uuid", arguments: {} })),
  ]);
  await client.close();
  await logged(30);
  const { requests } = await list();
  assert.equal(new Set(requests.map(({ cursor }) => cursor)).size, 30);
  const own = requests.filter(({ via }) => via === "http").map(({ id }) => id);
  assert.deepEqual(own.toSorted(), ids.toSorted());
  const rows = await site.ledgerRows(account, "SELECT count, errors FROM request_chunk");
  assert.deepEqual(rows, [{ count: 30, errors: 0 }]);
});

test("where the log is switched off, the pages say so", async (t) => {
  const off = await openEdgeSite(t, { texts: { TOOLBOOTH_REQUEST_LOG_DAYS: "0" } });
  const { get } = await edgeMember(off, "cleo");
  assert.equal(((await get("/dashboard/visitor")).body as Visitor).requestLog, false);
  assert.equal((await get("/dashboard/requests")).status, 404);
  assert.equal(((await get("/dashboard/home")).body as HomeView).lastErrors, null);
});

test("if the log is unavailable, calls succeed, and the Worker logs what is missing after three tries", async (t) => {
  const log: string[] = [];
  const handleStructuredLogs = ({ message }: { message: string }) => void log.push(message);
  const worker = await openWorkerFixture({
    entry: "worker-in-trouble.ts",
    beside: { handleStructuredLogs },
  });
  t.after(worker.close);
  const caller = await openEdgeAccount(worker, 10);
  const response = await worker.post(caller.key, "hash", '{"text":"a"}', {
    "x-test-trouble": "no log",
  });
  assert.equal(response.status, 200);
  await eventually("the Worker says so", async () => log.length > 0);
  const { message, cause } = JSON.parse(log[0] ?? "") as Record<string, string>;
  assert.equal(message, "Calls that will be missing from the request log: 1");
  assert.match(cause ?? "", /db-9/);
});

test("when an isolate ends, its unsent log entries are lost, and nothing of the ledger", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-log-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { code } = await bundleWorker("apps/edge/worker-with-test-access.ts");
  const start = () => startEdge(code, { folder, texts: EDGE_TEXTS });
  const call = (base: string, key: string, id: string) =>
    fetch(`${base}/api/v1/hash`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "X-Request-Id": id },
      body: '{"text":"a"}',
    });
  const listAt = async (base: string) => {
    const { requests } = await requestLogAt(base).list({ account, filter: {}, max: 9 });
    return requests.map(({ id }) => id);
  };
  const killed = await start();
  const { account, key } = await openEdgeAccount({ ledger: ledgerAt(killed.base) }, 10);
  await call(killed.base, key, "first");
  await eventually("the first call is logged", async () => (await listAt(killed.base)).length > 0);
  // The account is busy now, so its next call waits for ten seconds.
  const response = await call(killed.base, key, "lost");
  process.kill(killed.pid, "SIGKILL");
  assert.equal(response.status, 200);
  await killed.close().catch(() => {});
  const next = await start();
  t.after(next.close);
  assert.equal((await call(next.base, key, "kept")).headers.get("credits-remaining"), "7");
  await eventually("the later call is logged", async () => (await listAt(next.base)).length > 1);
  assert.deepEqual(await listAt(next.base), ["kept", "first"]);
});
