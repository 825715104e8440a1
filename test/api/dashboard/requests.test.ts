import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestEntry } from "#accounts/request-log.ts";
import { lastErrors, requestCounts } from "#api/dashboard/requests.ts";
import type { RequestSummaryView, RequestsView } from "#api/dashboard/shapes.ts";
import { anEntry, chunkOf } from "../../contract/request-log.ts";
import {
  makeKey,
  openFixture,
  openMember,
  REQUEST_BOUNDS,
  visitorOf,
} from "./dashboard-fixture.ts";
import { openRequestLog } from "./fixture-stores.ts";

async function open() {
  const { driver, requestLog } = openRequestLog();
  const fixture = openFixture({ requestLog });
  const member = await openMember(fixture);
  const { browser, account } = member;
  const { key } = await makeKey(browser, "production");
  const append = (entries: RequestEntry[]) => requestLog.append([chunkOf(account, entries)]);
  const get = async (query = "") =>
    (await browser.get(`/dashboard/requests${query}`)).body as RequestsView;
  return { fixture, member, browser, account, key, append, get, requestLog, driver };
}

test("requests are listed in pages of 50, with filters, the names of keys and how long they are kept", async () => {
  const { browser, key, append, get, fixture } = await open();
  assert.equal((await visitorOf(browser)).requestLog, true);
  assert.deepEqual(await get(), { requests: [], next: null, keys: [], ...REQUEST_BOUNDS });
  const other = await openMember(fixture);
  const at = Date.now();
  await append(
    Array.from({ length: 70 }, (_, no) =>
      anEntry({ id: `req_${no}`, at: at + no, key: key.id, status: no === 7 ? 429 : 200 }),
    ),
  );
  const first = await get();
  assert.deepEqual([first.requests.length, first.requests[0]?.id], [50, "req_69"]);
  assert.deepEqual(first.keys, [
    { id: key.id, label: "production", start: key.start, revokedAt: null },
  ]);
  const { cursor: _, ...entry } = first.requests[0] ?? {};
  assert.deepEqual(entry, anEntry({ id: "req_69", at: at + 69, key: key.id }));
  const second = await get(`?before=${first.next}`);
  assert.deepEqual(
    [second.requests.length, second.requests[0]?.id, second.next],
    [20, "req_19", null],
  );
  const ids = async (query: string) => (await get(query)).requests.map(({ id }) => id);
  assert.deepEqual(await ids("?status=errors"), ["req_7"]);
  assert.deepEqual(await ids(`?status=429&tool=hash&key=${key.id}`), ["req_7"]);
  assert.deepEqual(await ids("?id=req_33&tool=&code="), ["req_33"], "empty means all");
  assert.deepEqual(await ids(`?from=${at + 68}`), ["req_69", "req_68"]);
  assert.deepEqual(await ids(`?to=${at + 1}&from=0`), ["req_0"]);
  assert.deepEqual(await ids(`?after=${first.requests[1]?.cursor}`), ["req_69"]);
  const summary = (await browser.get("/dashboard/requests/summary?tool=hash"))
    .body as RequestSummaryView;
  assert.deepEqual(summary.tools, [
    { tool: "hash", requests: 70, errors: 1, p50: 3.25, p99: 3.25 },
  ]);
  const theirs = (await other.browser.get("/dashboard/requests")).body as RequestsView;
  assert.deepEqual(theirs.requests, []);
});

test("the requests that filters select can be downloaded as CSV and as JSON lines", async () => {
  const { browser, key, append } = await open();
  const entry = anEntry({ id: "=1+1", key: key.id, at: Date.UTC(2026, 10, 21, 12) });
  const problem = {
    detail: "=Slow down, please.",
    errors: [
      { pointer: "/count", detail: 'is "wrong"' },
      { header: "Accept", detail: "is odd" },
    ],
  };
  const failed = { status: 429, code: "rate_limited", charged: null, address: null, ...problem };
  const times = { total: 0.5, body: null, tool: null, ledger: 0.25 };
  await append([entry, { ...entry, ...failed, times, bytes: { received: null, sent: 7 } }]);
  await append(Array.from({ length: 600 }, (_, no) => anEntry({ id: `req_${no}`, tool: "uuid" })));
  const csv = await browser.get("/dashboard/requests/export?format=csv&tool=hash");
  assert.match(
    csv.headers.get("content-disposition") ?? "",
    /^attachment; filename="toolbooth-requests-\d{4}-\d\d-\d\d\.csv"$/,
  );
  assert.deepEqual(csv.text.replace("\ufeff", "").split("\r\n"), [
    "time,request_id,tool,status,code,key,via,credits,replayed,total_ms,body_ms,tool_ms,ledger_ms,received_bytes,sent_bytes,ip_address,detail,errors",
    `2026-11-21T12:00:00.000Z,'=1+1,hash,429,rate_limited,${key.id},http,,false,0.5,,,0.25,,7,,"'=Slow down, please.","/count: is ""wrong""; Accept: is odd"`,
    `2026-11-21T12:00:00.000Z,'=1+1,hash,200,,${key.id},http,1,false,3.25,0.1,1.2,0.9,20,90,203.0.113.7,,`,
    "",
  ]);
  const all = await browser.get("/dashboard/requests/export?format=jsonl");
  const lines = all.text.trimEnd().split("\n");
  assert.equal(lines.length, 602);
  assert.deepEqual(JSON.parse(lines.at(-1) ?? ""), { ...entry, at: "2026-11-21T12:00:00.000Z" });
});

test("a request log that cannot be read gets 503, and other pages still work", async () => {
  const { fixture, browser, account, append, driver } = await open();
  await append([anEntry({ status: 500, code: "internal" })]);
  const context = { deps: fixture.deps, requestId: "req_1" };
  assert.equal((await lastErrors(context, account, 5))?.length, 1);
  assert.equal((await requestCounts(context, account, 0))?.[0]?.errors, 1);
  driver.exec("DROP TABLE request_chunk; DROP TABLE request_hour");
  for (const path of ["requests", "requests/summary"]) {
    const { status, code, headers } = await browser.get(`/dashboard/${path}`);
    assert.deepEqual([status, code, headers.get("retry-after")], [503, "unavailable", "2"]);
  }
  assert.deepEqual(
    [await lastErrors(context, account, 5), await requestCounts(context, account, 0)],
    [null, null],
  );
  assert.equal((await browser.get("/dashboard/home")).status, 200);
});

test("a service without the log says so", async () => {
  const fixture = openFixture();
  const { browser, account } = await openMember(fixture);
  assert.equal((await visitorOf(browser)).requestLog, false);
  for (const path of ["requests", "requests/summary"]) {
    const { status, code, body } = await browser.get(`/dashboard/${path}`);
    assert.deepEqual([status, code], [404, "not_found"]);
    assert.equal((body as { detail: string }).detail, "This service keeps no request log.");
  }
  const context = { deps: fixture.deps, requestId: "req_1" };
  assert.equal(await lastErrors(context, account, 5), null);
});

test("the personal data has the requests, and closing the account deletes them", async () => {
  const { fixture, browser, member, account, append, get, driver } = await open();
  const address = "198.51.100.77";
  await append([anEntry({ address }), anEntry({ id: "req_2", address })]);
  const exported = await browser.get("/dashboard/account/export");
  const { requests, complete } = exported.body as {
    requests: (Omit<RequestEntry, "at"> & { at: string })[];
    complete: boolean;
  };
  assert.deepEqual(
    [complete, requests.map(({ id }) => id), requests[0]?.address, requests[0]?.at],
    [true, ["req_2", "req_1"], address, new Date(anEntry().at).toISOString()],
  );
  assert.equal((await get()).requests.length, 2);
  const closing = await browser.post("/dashboard/account/close", { email: member.email });
  assert.equal(closing.status, 200);
  await append([anEntry({ address })]);
  const rows = driver.prepare("SELECT * FROM request_chunk").all();
  assert.ok(!JSON.stringify(rows).includes(address));
  const state = await fixture.accountDeps.ledger.findAccount({ account, now: Date.now() });
  assert.equal(state?.state, "closed");
});
