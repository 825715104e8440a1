import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS } from "#errors.ts";
import { ERROR_TEXTS } from "#site/docs/error-texts.ts";
import {
  ERROR_CODES,
  idIn,
  isFiltered,
  isOpenEnded,
  knownCode,
  queryOf,
  rangeError,
  readFilters,
  type Search,
  withChange,
} from "../../web/requests/filters.ts";
import { withNewest } from "../../web/requests/new-requests.ts";
import {
  chargeText,
  duration,
  durations,
  exactTime,
  latencyParts,
  localTime,
  percent,
  repeatCode,
  size,
  statusLook,
} from "../../web/requests/request-text.ts";
import { NOW } from "./fixtures.ts";
import { failed, newRequests, noRequests, requests, sampleRequest } from "./request-fixtures.ts";

const MINUTE = 60_000;
const queryFor = (search: Search) =>
  Object.fromEntries(queryOf(readFilters(search), NOW).entries());

test("the filters in the URL become the query of the API", () => {
  assert.deepEqual(queryFor({}), {});
  assert.deepEqual(queryFor({ tool: "hash", key: "key_1", status: "errors", id: " req_1 " }), {
    ...{ tool: "hash", key: "key_1", status: "errors", id: "req_1" },
  });
  assert.deepEqual(queryFor({ code: "rate_limited" }), { code: "rate_limited" });
  assert.deepEqual(queryFor({ status: "429" }), { status: "429" });
  assert.deepEqual(queryFor({ span: "1h" }), { from: String(NOW - 60 * MINUTE) });
  const range = queryFor({ from: "2026-11-20T08:00", to: "2026-11-20T08:00" });
  const from = Date.UTC(2026, 10, 20, 8);
  // The end is the whole minute.
  assert.deepEqual(range, { from: String(from), to: String(from + MINUTE) });
});

test("what no filter has is left out, so that a mistyped URL shows requests rather than an error", () => {
  const wrong: Search[] = [
    { status: "200x" },
    { status: "999" },
    { code: "toString" },
    { code: "no_such_code" },
    { span: "constructor" },
    { from: "yesterday", to: "2026-02-99T08:00" },
    { tool: "a b" },
    { key: "'--" },
    { id: "x".repeat(129) },
    { id: "" },
  ];
  for (const search of wrong) {
    assert.deepEqual(queryFor(search), {}, JSON.stringify(search));
    assert.equal(isFiltered(readFilters(search)), false, JSON.stringify(search));
  }
});

test("a span and a custom range replace each other, and defaults are not in the URL", () => {
  const custom = withChange({ span: "1h", tool: "hash" }, { from: "2026-11-20T08:00", to: "" });
  assert.deepEqual(custom, { tool: "hash", from: "2026-11-20T08:00" });
  assert.equal(readFilters(custom).span, "custom");
  assert.deepEqual(withChange(custom, { span: "24h" }), { tool: "hash", span: "24h" });
  assert.deepEqual(withChange(custom, { span: "all", tool: "" }), {});
});

test("a custom range needs an end after its start", () => {
  assert.equal(rangeError({ from: "2026-11-20T08:00", to: "" }), null);
  assert.match(rangeError({ from: "", to: "" }) ?? "", /start, an end/);
  assert.match(rangeError({ from: "2026-11-20T08:00", to: "2026-11-20T08:00" }) ?? "", /before/);
});

test("new requests are asked for only where they can match", () => {
  assert.equal(isOpenEnded(readFilters({}), NOW), true);
  assert.equal(isOpenEnded(readFilters({ to: "2026-11-20T08:00" }), NOW), false);
  assert.equal(isOpenEnded(readFilters({ to: "2027-01-01T00:00" }), NOW), true);
});

test("an id is found in what was pasted: alone, quoted, or in an error response", () => {
  const pasted = [
    "req_1aB",
    "  req_1aB\n",
    '"req_1aB",',
    '{"ok":false,"code":"internal","requestId":"req_1aB"}',
    '  "requestId" : "req_1aB"',
  ];
  for (const text of pasted) assert.equal(idIn(text), "req_1aB", text);
  assert.equal(idIn(" "), "");
  assert.equal(idIn("not an id"), null);
  assert.equal(idIn("ключ"), null);
});

test("new requests stand first and once, and their keys are named", () => {
  const pages = { pages: [requests], pageParams: [null] };
  const key = { id: "key_new", label: "new", start: "tb_", revokedAt: null };
  const arrived = { ...newRequests, keys: [key] };
  const once = withNewest(pages, arrived);
  const twice = withNewest(once, arrived);
  assert.equal(twice.pages[0]?.requests.length, 12 + requests.requests.length);
  assert.deepEqual(twice.pages[0]?.requests[0], newRequests.requests[0]);
  assert.equal(twice.pages[0]?.next, "older");
  assert.ok(twice.pages[0]?.keys.some(({ id }) => id === "key_new"));
});

test("the list starts again if it was empty, or if more came than one response holds", () => {
  const empty = { pages: [noRequests], pageParams: [null] };
  assert.deepEqual(withNewest(empty, newRequests).pages, [newRequests]);
  const many = { ...newRequests, next: "900012" };
  const pages = { pages: [requests, requests], pageParams: [null, "older"] };
  assert.deepEqual(withNewest(pages, many), { pages: [many], pageParams: [null] });
});

test("durations and sizes have at most three digits and a unit", () => {
  assert.deepEqual([0, 0.44, 9.96, 12.4, 999.4, 1312].map(duration), [
    ...["0 ms", "0.4 ms", "10 ms", "12 ms", "999 ms", "1.3 s"],
  ]);
  assert.equal(durations(4.8, 212), "p50 4.8 · p99 212 ms");
  assert.equal(durations(4.8, 1200), "p50 4.8 ms · p99 1.2 s");
  assert.deepEqual([0, 1023, 1536, 20_480, 1_391_220, null].map(size), [
    ...["0 B", "1023 B", "1.5 KB", "20 KB", "1.3 MB", "not read"],
  ]);
});

test("only requests without any error are 100%", () => {
  assert.equal(percent(100_000, 100_000), "100%");
  assert.equal(percent(99_999, 100_000), "99.9%");
  assert.equal(percent(2, 3), "66.7%", "rounded, not cut");
  assert.equal(percent(1, 3), "33.3%");
  assert.equal(percent(1, 100_000), "0.1%", "not none");
  assert.equal(percent(0, 3), "0%");
  assert.equal(percent(0, 0), "–");
});

test("the parts of the latency add up to the total, and those that did not happen are left out", () => {
  const parts = latencyParts({ total: 10, body: 1, tool: 4, ledger: 3 });
  assert.deepEqual(
    parts.map(({ id, ms }) => [id, ms]),
    [
      ["body", 1],
      ["tool", 4],
      ["ledger", 3],
      ["other", 2],
    ],
  );
  assert.deepEqual(
    latencyParts({ total: 2, body: null, tool: null, ledger: null }).map(({ id }) => id),
    ["other"],
  );
  // Rounding may make the parts longer than the total.
  assert.deepEqual(
    latencyParts({ total: 2, body: 1, tool: 1.01, ledger: 0 }).map(({ id }) => id),
    ["body", "tool", "ledger"],
  );
});

test("times are in UTC, and in the reader's zone if it is another", () => {
  const at = Date.UTC(2026, 10, 21, 14, 30, 5, 7);
  assert.equal(exactTime(at), "21 Nov 2026, 14:30:05.007 UTC");
  assert.match(localTime(at, "Europe/Vienna") ?? "", /15:30:05.*Central European Time/);
});

test("a request says what it cost", () => {
  assert.equal(chargeText(sampleRequest(0)), "1 credit");
  assert.equal(chargeText(sampleRequest(0, { charged: 25 })), "25 credits");
  assert.equal(chargeText(sampleRequest(0, { charged: 0 })), "Free call");
  assert.match(chargeText(sampleRequest(0, { charged: 0, replayed: true })), /repeat/);
  assert.equal(chargeText(failed(1, "rate_limited")), "Not charged");
  assert.equal(chargeText(failed(1, "unavailable", { charged: null })), "Not known yet");
});

test("every error code has a cause and a cure; codes of another version have none", () => {
  for (const code of ERROR_CODES) {
    assert.equal(knownCode(code), code);
    assert.ok(ERROR_TEXTS[code].cause.length > 0 && ERROR_TEXTS[code].cure.length > 0);
    assert.notEqual(statusLook(ERRORS[code].status).tone, "ok");
  }
  assert.equal(knownCode("toString"), null);
  assert.equal(knownCode(null), null);
  assert.equal(statusLook(200).tone, "ok");
});

test("the call to send again has the tool, and neither a key nor a body", () => {
  const hash = { name: "hash", title: "Hash", summary: "Hashes.", docs: "/docs/hash", page: null };
  const repeat = (needsKey: boolean) =>
    repeatCode(sampleRequest(0), "https://api.example.com", {
      keyVariable: "TOOLBOOTH_KEY",
      tools: [{ ...hash, needsKey }],
    });
  const code = repeat(false);
  assert.match(code, /^curl https:\/\/api\.example\.com\/api\/v1\/hash /);
  assert.match(code, /\$TOOLBOOTH_KEY/);
  assert.match(code, /@body\.json/);
  assert.doesNotMatch(code, /Idempotency-Key/);
  assert.match(repeat(true), /-H "Idempotency-Key: /);
});
