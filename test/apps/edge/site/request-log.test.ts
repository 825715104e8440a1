import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestEntry } from "#accounts/request-log.ts";
import type {
  HomeView,
  RequestSummaryView,
  RequestsView,
  RequestView,
  Visitor,
} from "#api/dashboard/shapes.ts";
import { connectMcp } from "../../../http/mcp-client.ts";
import { eventually } from "../../../http/test-api.ts";
import { call, createKey, edgeMember, operate, site, TOKEN } from "./fixture.ts";

/** The request log of both Workers, from the call to the pages. */
async function memberWithKey(name: string) {
  const member = await edgeMember(name);
  const key = await createKey(member.account);
  const list = async (query = "") => {
    const { status, body } = await member.get(`/dashboard/requests${query}`);
    assert.equal(status, 200);
    return body as RequestsView;
  };
  const logged = (count: number) =>
    eventually(`${count} calls in the log`, async () => (await list()).requests.length === count);
  async function hash(body: string, headers: Record<string, string> = {}) {
    const response = await call(key, "hash", body, headers);
    await response.arrayBuffer();
    return response;
  }
  return { ...member, key, hash, list, logged };
}

test("calls and errors of both Workers show on the pages, in the exports and to operators", async () => {
  const { key, account, email, hash, list, logged, get } = await memberWithKey("ada");
  const visitor = (await get("/dashboard/visitor")).body as Visitor;
  assert.equal(visitor.requestLog, true);
  const longest = "r".repeat(128);
  await hash('{"text":"a"}', { "X-Request-Id": longest, "CF-Connecting-IP": "2001:db8::7" });
  const hostile = { "X-Request-Id": `"],["${"x".repeat(200)}`, "CF-Connecting-IP": '1","' };
  assert.equal((await hash("{}", hostile)).status, 400);
  const client = await connectMcp({ url: `${site.base}/mcp`, key, revision: "2026-07-28" });
  await client.callTool({ name: "uuid", arguments: {} });
  await client.close();
  await logged(3);

  const { requests, keys, keptDays, keptMax, next } = await list();
  assert.deepEqual([keptDays, keptMax, next], [7, 100_000, null]);
  const [{ id } = assert.fail(), ...others] = keys;
  assert.deepEqual(others, []);
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
  const exported = await fetch(`${site.base}/operator/account/export`, {
    ...{ method: "POST", headers: { Authorization: `Bearer ${TOKEN}` } },
    body: JSON.stringify({ email }),
  });
  assert.equal(((await exported.json()) as { requests: RequestEntry[] }).requests.length, 3);

  await operate("account close", { email });
  assert.deepEqual(await site.ledgerRows(account, "SELECT * FROM request_chunk"), []);
});

test("two isolates can write the log of one account, and no entry is lost or mixed up", async () => {
  const { account, key, hash, logged, list } = await memberWithKey("bea");
  const client = await connectMcp({ url: `${site.base}/mcp`, key, revision: "2026-07-28" });
  const ids = Array.from({ length: 15 }, (_, no) => `own_${no}`);
  await Promise.all([
    ...ids.map((id) => hash('{"text":"a"}', { "X-Request-Id": id })),
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
