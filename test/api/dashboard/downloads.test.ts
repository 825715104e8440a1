import assert from "node:assert/strict";
import { test } from "node:test";
import { DASHBOARD_ROUTES } from "#api/dashboard/dashboard-app.ts";
import { DashboardError } from "#api/dashboard/dashboard-error.ts";
import {
  createDownloads,
  DOWNLOADS_AN_ACCOUNT,
  DOWNLOADS_AT_ONCE,
} from "#api/dashboard/downloads.ts";
import { anEntry, chunkOf } from "../../contract/request-log.ts";
import { openFixture, openMember } from "./dashboard-fixture.ts";
import { openRequestLog } from "./fixture-stores.ts";

/** The outcome of a try: "begun", or the code of the error. */
function outcomeOf(act: () => unknown): string {
  try {
    act();
    return "begun";
  } catch (error) {
    assert.ok(error instanceof DashboardError);
    assert.equal(error.details.headers?.["Retry-After"], "10");
    return error.code;
  }
}

test("an account has two downloads at once, all accounts together six, and each that ends makes room", () => {
  const downloads = createDownloads();
  const begin = (account: string) => downloads.begin(account, 0, () => {});
  const first = begin("a");
  begin("a");
  assert.equal(
    outcomeOf(() => begin("a")),
    "too_many_downloads",
  );
  assert.equal(
    outcomeOf(() => downloads.check("a", 0)),
    "too_many_downloads",
  );
  for (const account of ["b", "b", "c", "c"]) begin(account);
  assert.equal(
    outcomeOf(() => begin("d")),
    "unavailable",
  );
  first.end();
  first.end();
  assert.equal(
    outcomeOf(() => begin("d")),
    "begun",
  );
  assert.equal(
    outcomeOf(() => begin("d")),
    "unavailable",
  );
  assert.equal(DOWNLOADS_AT_ONCE % DOWNLOADS_AN_ACCOUNT, 0);
});

test("a client that stopped reading loses its place only when another download needs it", () => {
  const downloads = createDownloads();
  const cut: string[] = [];
  const begin = (account: string, at: number, name: string) =>
    downloads.begin(account, at, () => cut.push(name));
  begin("a", 0, "stalled");
  const reading = begin("a", 0, "reading");
  reading.touch(9_000);
  assert.equal(
    outcomeOf(() => begin("a", 9_999, "early")),
    "too_many_downloads",
  );
  assert.deepEqual(cut, []);
  downloads.check("a", 10_000);
  assert.deepEqual(cut, [], "asking takes nothing");
  begin("a", 10_000, "third");
  assert.deepEqual(cut, ["stalled"]);
  for (const account of ["b", "b", "c", "c"]) begin(account, 12_000, account);
  begin("d", 19_000, "fourth");
  assert.deepEqual(cut, ["stalled", "reading"], "the one that was idle for ten seconds");
  assert.equal(
    outcomeOf(() => begin("e", 19_000, "fifth")),
    "unavailable",
  );
});

test("a stop cuts off all downloads", () => {
  const downloads = createDownloads();
  const cut: string[] = [];
  for (const account of ["a", "b"]) downloads.begin(account, 0, () => cut.push(account));
  downloads.stop();
  assert.deepEqual(cut, ["a", "b"]);
  downloads.stop();
  assert.deepEqual(cut, ["a", "b"]);
});

async function open() {
  const { driver, requestLog } = openRequestLog();
  const fixture = openFixture({ requestLog });
  const member = await openMember(fixture);
  const entries = Array.from({ length: 1_500 }, (_, no) => anEntry({ id: `req_${no}` }));
  await requestLog.append([chunkOf(member.account, entries)]);
  /** Without reading the body. */
  const start = (path: string, method = "GET") =>
    fixture.app.fetch(
      new Request(`${fixture.publicUrl}${path}`, {
        method,
        headers: { cookie: [...member.browser.cookies].map((pair) => pair.join("=")).join("; ") },
      }),
      "203.0.113.1",
    );
  return { ...member, fixture, start, driver };
}

const DOWNLOADS = [
  "/dashboard/requests/export?format=csv",
  "/dashboard/requests/export?format=jsonl",
  "/dashboard/credits/entries/export",
  "/dashboard/events/export?format=csv",
  "/dashboard/events/export?format=json",
  "/dashboard/account/export",
  "/dashboard/account/export/entries",
];

test("every download counts, and the third of an account is rejected with a sentence until one ends", async () => {
  const { start, browser, fixture } = await open();
  const routes = Object.keys(DASHBOARD_ROUTES);
  assert.deepEqual(
    new Set(DOWNLOADS.map((path) => path.split("?")[0])),
    new Set(routes.filter((path) => /export(?!\/ready)/.test(path))),
  );
  for (const path of DOWNLOADS) {
    const running = [await start(path), await start(path)];
    assert.deepEqual(
      running.map(({ status }) => status),
      [200, 200],
      path,
    );
    const others = path === DOWNLOADS[0] ? DOWNLOADS : [path];
    for (const next of [...others, "/dashboard/downloads/ready"]) {
      const { status, code, body, headers } = await browser.get(next);
      assert.deepEqual([status, code], [429, "too_many_downloads"], next);
      assert.equal(headers.get("retry-after"), "10");
      assert.equal(
        (body as { detail: string }).detail,
        "2 downloads of your account are still running. Wait until one of them is complete, then try again.",
      );
    }
    const [first, second] = running;
    await first?.body?.cancel();
    await second?.text();
    assert.deepEqual((await browser.get("/dashboard/downloads/ready")).body, {}, path);
  }
  assert.deepEqual(fixture.loggedErrors, []);
});

test("neither HEAD nor a failed download keeps a place", async () => {
  const { start, fixture, driver } = await open();
  for (let count = 0; count < 5; count += 1) {
    const { status, body } = await start(DOWNLOADS[0] as string, "HEAD");
    assert.deepEqual([status, body], [200, null]);
  }
  driver.exec("DROP TABLE request_chunk");
  for (let count = 0; count < 5; count += 1) {
    const { status, body } = await start(DOWNLOADS[0] as string);
    assert.equal(status, 200);
    await assert.rejects(new Response(body).text(), "the client sees that it is cut off");
  }
  assert.equal(fixture.loggedErrors.length, 5);
  for (const each of fixture.loggedErrors) assert.match(each, /^A download was cut off/);
});

test("when the service stops, a running download is cut off", async () => {
  const { start, fixture } = await open();
  const response = await start(DOWNLOADS[0] as string);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  assert.equal((await reader.read()).done, false);
  fixture.deps.downloads.stop();
  await assert.rejects(reader.read(), /The service is stopping/);
});
