import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { AccessLogEntry } from "#api/access-log.ts";
import { createNodeLog } from "../../../src/apps/node/log.ts";
import { createReadableLines } from "../../../src/apps/node/readable-log.ts";
import {
  COUNTED_ERRORS_MAX,
  createRepeatedErrors,
  REPORT_EVERY_MS,
} from "../../../src/apps/node/repeated-errors.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

type Line = Record<string, unknown> & { level: string; msg: string };

/** A log into a file, and its lines once it is closed. */
function openLog(
  t: TestContext,
  level: "debug" | "info" = "info",
  readable: ((line: string) => string) | null = null,
) {
  const dest = path.join(temporaryFolder(t), "log");
  const log = createNodeLog(level, { dest, readable });
  const readText = async () => {
    await log.close();
    return readFileSync(dest, "utf8");
  };
  return {
    log,
    readText,
    async read(): Promise<Line[]> {
      const lines = (await readText()).split("\n").slice(0, -1);
      return lines.map((line) => JSON.parse(line));
    },
  };
}

/** Counts repeats by a clock that the test sets. */
function openRepeats() {
  const lines: Line[] = [];
  let at = Date.UTC(2026, 0, 15, 10);
  const write = (level: string) => (details: object, msg: string) =>
    void lines.push({ level, msg, ...details });
  const errors = createRepeatedErrors({ error: write("error"), info: write("info") }, () => at);
  const pass = (ms: number) => {
    at += ms;
    errors.report();
  };
  return { errors, lines, pass };
}

const fullDisk = () =>
  Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
const UNAVAILABLE = "The service cannot reach the ledger.";

test("of 10,000 errors of one kind the log has the first in full, a count per minute and the end", () => {
  const { errors, lines, pass } = openRepeats();
  const { add, report } = errors;
  for (let call = 0; call < 10_000; call += 1) {
    add(UNAVAILABLE, { requestId: `req_${call}`, cause: fullDisk() });
    if (call % 100 === 0) report();
  }
  assert.equal(lines.length, 1);
  assert.equal(lines[0]?.["requestId"], "req_0");
  assert.ok(lines[0]?.["err"] instanceof Error);
  pass(REPORT_EVERY_MS);
  assert.deepEqual(
    [lines.length, lines[1]?.["repeated"], lines[1]?.["total"], lines[1]?.["requestId"]],
    [2, 9_999, 10_000, "req_9999"],
  );
  assert.equal(lines[1]?.msg, UNAVAILABLE);
  assert.equal(lines[1]?.["cause"], "Error: ENOSPC: no space left on device, write");
  add(UNAVAILABLE, { cause: fullDisk() });
  pass(REPORT_EVERY_MS);
  assert.equal(lines[2]?.["repeated"], 1);
  pass(REPORT_EVERY_MS);
  assert.equal(lines[3]?.level, "info");
  assert.equal(lines[3]?.msg, `This error has stopped: ${UNAVAILABLE}`);
  assert.equal(lines[3]?.["total"], 10_001);
  pass(REPORT_EVERY_MS);
  assert.equal(lines.length, 4);
  // It is news again.
  add(UNAVAILABLE, { cause: fullDisk() });
  assert.ok(lines[4]?.["err"] instanceof Error);
});

test("an error that happens once has one line", () => {
  const { errors, lines, pass } = openRepeats();
  errors.add("A tool thread failed", { cause: new Error("exit code 1") });
  for (let minute = 0; minute < 3; minute += 1) pass(REPORT_EVERY_MS);
  assert.equal(lines.length, 1);
});

test("errors that differ in message, code, cause or place are each logged in full", () => {
  const { errors, lines } = openRepeats();
  const causes = [
    fullDisk(),
    new Error("the same, from another line"),
    new Error("the same, from another line"),
    Object.assign(new Error("database disk image is malformed"), { code: "ERR_SQLITE_ERROR" }),
    Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR" }),
    new Error("got 500"),
    new Error("got 404"),
    new Error("around", { cause: fullDisk() }),
    new Error("around", { cause: new Error("another one") }),
    // The text of a stack, from another thread.
    "Error: first\n    at one (file:///one.ts:1:1)",
    "Error: first\n    at two (file:///two.ts:1:1)",
    undefined,
  ];
  for (const cause of causes) errors.add(UNAVAILABLE, { cause });
  for (const id of ["eml_1", "eml_2"]) errors.add(`Email ${id} failed for good`, {});
  assert.equal(lines.length, causes.length + 2);
  assert.ok(lines.every((line) => line["repeated"] === undefined));
});

test("ids and large numbers in a cause do not make another error of it", () => {
  const { errors, lines } = openRepeats();
  for (let no = 10_000; no < 10_100; no += 1)
    errors.add(UNAVAILABLE, { cause: new Error(`Order call_Zx${no} took ${no} ms`) });
  assert.equal(lines.length, 1);
});

test("memory is bounded: beyond the bound every error is logged, and no count is lost", () => {
  const { errors, lines } = openRepeats();
  errors.add("first", {});
  errors.add("first", {});
  for (let no = 0; no < 10_000; no += 1) errors.add(`distinct error ${no}`, {});
  const full = lines.filter((line) => line["repeated"] === undefined);
  assert.equal(full.length, 10_001);
  const counts = lines.filter((line) => line["repeated"] !== undefined);
  assert.deepEqual(
    counts.map(({ msg, repeated }) => [msg, repeated]),
    [["first", 1]],
  );
  // Those that are still counted.
  lines.length = 0;
  for (let no = 9_999; no > 9_999 - COUNTED_ERRORS_MAX; no -= 1)
    errors.add(`distinct error ${no}`, {});
  errors.close();
  assert.equal(lines.length, COUNTED_ERRORS_MAX);
});

test("the log writes what it has counted when it is closed", async (t) => {
  const { log, read } = openLog(t);
  for (let call = 0; call < 10_000; call += 1)
    log.logError(UNAVAILABLE, { requestId: `req_${call}`, cause: fullDisk() });
  const lines = await read();
  assert.deepEqual(
    lines.map(({ level, msg, repeated }) => [level, msg, repeated]),
    [
      ["error", UNAVAILABLE, undefined],
      ["error", UNAVAILABLE, 9_999],
    ],
  );
  assert.match(JSON.stringify(lines[0]), /log\.test\.ts/, "with its stack");
});

const entry = (part: Partial<AccessLogEntry>): AccessLogEntry => ({
  ...{ requestId: "req_1", method: "GET", route: "/api/v1/hash", tool: null, status: 200 },
  ...{ code: null, account: null, key: null, traceId: null, charged: null, callId: null },
  ...{ replayed: false, delivered: true },
  durationMs: 1.5,
  ...part,
});

test("an access line names account, key and trace; each request has one", async (t) => {
  const { log, read } = openLog(t);
  const call = { method: "POST", tool: "hash", account: "acc_A", key: "key_A1", charged: 1 };
  for (let no = 0; no < 1_000; no += 1) log.access(entry(call));
  log.access(entry({ ...call, traceId: "4bf92f3577b34da6a3ce929d0e0e4736" }));
  const lines = await read();
  assert.equal(lines.length, 1_001);
  const { time, ...line } = lines.at(-1) as Line;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(line, {
    level: "info",
    ...{ requestId: "req_1", traceId: "4bf92f3577b34da6a3ce929d0e0e4736", method: "POST" },
    ...{ route: "/api/v1/hash", tool: "hash", status: 200, code: null, account: "acc_A" },
    ...{ key: "key_A1", charged: 1, callId: null, replayed: false, delivered: true },
    ...{ durationMs: 1.5, msg: "request" },
  });
  assert.ok(!("traceId" in (lines[0] as Line)));
});

test("probes are logged when their status changes, and otherwise only at level debug", async (t) => {
  const probes = [
    entry({ route: "/healthz" }),
    entry({ route: "/readyz" }),
    entry({ route: "/readyz", status: 503, code: "unavailable" }),
    entry({ route: "/readyz", status: 503, code: "unavailable" }),
    entry({ route: "/healthz" }),
    entry({ route: "/readyz" }),
    entry({ route: "/metrics" }),
    entry({ route: "/metrics", status: 404, code: "not_found" }),
    entry({ route: "/metrics" }),
  ];
  const news = [
    ["/readyz", 503],
    ["/readyz", 200],
    ["/metrics", 404],
  ];
  const seen = (lines: Line[], level: string) =>
    lines.filter((line) => line.level === level).map(({ route, status }) => [route, status]);
  const atInfo = openLog(t);
  for (const probe of probes) atInfo.log.access(probe);
  const lines = await atInfo.read();
  assert.deepEqual(seen(lines, "info"), news);
  assert.equal(lines.length, news.length);
  const atDebug = openLog(t, "debug");
  for (const probe of probes) atDebug.log.access(probe);
  const all = await atDebug.read();
  assert.deepEqual(seen(all, "info"), news);
  assert.equal(seen(all, "debug").length, probes.length - news.length);
});

test("on a terminal each line is short and readable", async (t) => {
  const { log, readText } = openLog(t, "info", createReadableLines({ colors: false }));
  const call = { method: "POST", tool: "hash" };
  log.info("The service is ready", { port: 8787 });
  log.email("Email written to /data/1.eml\nTo: ada@b.c\n\nhttps://tools.example.org/v#secret");
  log.warn("Set PUBLIC_URL");
  log.access(entry({ ...call, charged: 1, durationMs: 0.8 }));
  log.access(entry({ ...call, status: 402, code: "insufficient_credits" }));
  log.logError("The disk is full", { cause: new Error("ENOSPC") });
  const [ready, email, warning, charged, rejected, error, ...stack] = (await readText()).split(
    "\n",
  );
  assert.match(ready ?? "", /^\[[\d:.]{12}\] INFO: The service is ready \{"port":8787\}$/);
  assert.match(email ?? "", /INFO: Email written to \/data\/1\.eml$/);
  assert.match(warning ?? "", /WARN: Set PUBLIC_URL$/);
  assert.match(charged ?? "", /INFO: POST \/api\/v1\/hash 200 \(1 credit, 0\.8 ms\) req_1$/);
  assert.match(rejected ?? "", /INFO: POST \S+ 402 insufficient_credits \(1\.5 ms\) req_1$/);
  assert.match(error ?? "", /ERROR: The disk is full/);
  assert.match(stack.join("\n"), /Error: ENOSPC/);
});
