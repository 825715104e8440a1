/** Invalid requests: each is rejected with a sentence that says what is expected, and changes nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointSecretView } from "#api/dashboard/shapes.ts";
import { createStripeProvider } from "#billing/stripe.ts";
import { pricesOf } from "../../billing/billing-fixture.ts";
import { HOSTILE } from "../../events/hostile-addresses.ts";
import { fakeOptions } from "../../stripe/fake-stripe.ts";
import { clock, SECOND } from "./clock.ts";
import { makeKey, openFixture, openMember } from "./dashboard-fixture.ts";
import { openRequestLog } from "./fixture-stores.ts";

/** Paths are below `/dashboard/`; `:key` and `:endpoint` are those of the account. */
type Row = [method: string, path: string, body: unknown, says: RegExp | string, code?: string];
const row = (...given: Row): Row => given;
type Bad = [value: unknown, says: RegExp];

const LIMITS: Bad[] = [
  ["none", /an object of known limits/],
  [[], /an object of known limits/],
  [{ colour: "red" }, /an object of known limits/],
  [{ tools: "hash" }, /list of names/],
  [{ tools: ["hsah"] }, /no tool "hsah"/],
  [{ tools: [] }, /at least one tool/],
  [{ networks: ["203.0.113.0/33"] }, /"203\.0\.113\.0\/33" is not a network/],
  [{ networks: ["example.org"] }, /is not a network/],
  [{ networks: [] }, /at least one network/],
  [{ networks: Array.from({ length: 33 }, (_, no) => `10.0.0.${no}`) }, /at most 32 networks/],
  [{ budgets: { day: 0 } }, /whole number of credits/],
  [{ budgets: { day: 1.5 } }, /whole number of credits/],
  [{ budgets: { week: 5 } }, /whole number of credits/],
  [{ budgets: { total: 1e13 } }, /whole number of credits/],
  [{ rate: 0 }, /whole number of calls/],
  [{ rate: 100 }, /below the account's limit of 100/],
  [{ rate: "5" }, /whole number of calls/],
  [{ expiresAt: "2099-01-01" }, /a time before/],
  [{ expiresAt: 1 }, /in the future/],
  [{ expiresAt: 1e18 }, /a time before/],
];

const LABELS = [
  ...[undefined, null, 7, ["x"], "", "   ", "x".repeat(101)],
  // A no-break space, a zero-width space, and nothing but a joiner.
  ...["\u00a0", "\u200b", "\u200d"],
  // Line breaks and control characters.
  ...["a\nb", "a\rb", "a\tb", "a\0b", "a\u2028b", "a\u2029b", "a\u0085b", "\u001b[31mred"],
  // A right-to-left override, an isolate, and half a character.
  ...["a\u202eb", "a\u2066b", "a\ud83d"],
];
const LABEL = "Enter a label of 1 to 100 characters on one line.";

const REQUEST_FILTERS: [query: string, says: string][] = [
  ["status=maybe", "`status` must be `ok`, `errors` or a status such as 429."],
  ["status=99", "`status` must be `ok`, `errors` or a status such as 429."],
  ["from=yesterday", "`from` must be a time in milliseconds since 1970, such as 1795400000000."],
  ["to=-1", "`to` must be a time in milliseconds since 1970, such as 1795400000000."],
  ["from=2&to=2", "`from` must be earlier than `to`."],
  ["before=1", "`before` must be the `cursor` of a request."],
  ["after=x.1", "`after` must be the `cursor` of a request."],
  ["after=1.0", "`after` must be the `cursor` of a request."],
  ["before=AAAAAAAAAAAAAAAAAAAAAA", "`before` must be the `cursor` of a request."],
  ["id=%22%00", "`id` must be a request id: 1 to 128 letters, digits and the characters . : "],
  [`tool=${"x".repeat(129)}`, "`tool` must be the name of a tool: 1 to 128 letters, digits and "],
];

const DAYS = [
  ...["", "2026-02-30", "2026-13-01", "2026-1-1", "21.11.2026", "now", "-1", "1e3", "NaN"],
  ...["2026-11-21T00:00:00Z", "2026-11-21%00", "١٢٣٤-٠١-٠١", "+002026-11-21"],
];
const ENDPOINT = { url: "https://shop.example/hooks", kinds: ["credits.low"], paused: false };
const EMAILS = { low: true, expiring: true };
const ANY = /./;

const INVALID: Record<string, Row[]> = {
  "labels of keys": LABELS.flatMap((label) => [
    row("POST", "keys", { label }, LABEL),
    row("PATCH", "keys/:key", { label }, LABEL),
  ]),
  "limits of keys": LIMITS.map(([limits, says]) =>
    row("POST", "keys", { label: "l", limits }, says),
  ),
  rotations: [-1, 721, 0.0000001, "1e999", null, undefined, {}].map((keepHours) =>
    row("POST", "keys/:key/rotate", { keepHours }, ANY),
  ),
  "URLs of endpoints": [...HOSTILE, 7].flatMap((url) => [
    row("POST", "webhooks", { ...ENDPOINT, url }, ANY, "invalid_url"),
    row("PATCH", "webhooks/:endpoint", { url }, ANY, "invalid_url"),
  ]),
  "kinds of events": [[], ["credits.low", "credits.gone"], "credits.low", undefined].map((kinds) =>
    row("POST", "webhooks", { ...ENDPOINT, kinds }, ANY),
  ),
  pauses: [row("POST", "webhooks", { ...ENDPOINT, paused: "no" }, ANY)],
  "alert levels": [-1, 0.5, "20", null, 1e13].map((lowBalance) =>
    row("PUT", "notifications", { lowBalance, emails: EMAILS }, /whole number of credits from 0/),
  ),
  "choices of emails": [undefined, null, {}, { low: true }, { low: 1, expiring: true }].map(
    (emails) => row("PUT", "notifications", { lowBalance: 20, emails }, ANY),
  ),
  orders: [
    { offer: "huge" },
    { offer: "" },
    {},
    { offer: 1 },
    { offer: { id: 1 } },
    "not JSON",
  ].map((body) => row("POST", "purchases", body, ANY)),
  "filters of requests": REQUEST_FILTERS.flatMap(([query, says]) =>
    ["requests", "requests/summary"].map((path) => row("GET", `${path}?${query}`, undefined, says)),
  ),
  "formats of downloads": [
    row("GET", "requests/export?format=xml", undefined, "`format` must be csv or jsonl."),
    row("GET", "events/export", undefined, ANY),
  ],
  "filters of ledger entries": ["kind=sale", "kind=debit,", "from=0", "to=2026-02-30"].flatMap(
    (query) => [
      row("GET", `credits/entries?${query}`, undefined, ANY),
      row("GET", `credits/entries/export?${query}`, undefined, ANY),
    ],
  ),
  "cursors of grants": ["x", "s.1", "o.", "%00", "s.1.2.99999999999999999"].map((after) =>
    row("GET", `credits?after=${after}`, undefined, ANY),
  ),
  "periods of usage": [
    ...DAYS.flatMap((day) => [`from=${day}&to=2026-11-21`, `from=2026-11-21&to=${day}`]),
    ...["from=2026-11-22&to=2026-11-21", "from=2025-10-17&to=2026-11-21", "from=2026-11-21", ""],
  ].map((query) => row("GET", `usage?${query}`, undefined, ANY)),
};

/** Nothing listens there, so a request that reached Stripe would get 503. */
const provider = createStripeProvider(fakeOptions({ api: "http://127.0.0.1:9", now: Date.now }));

for (const [what, rows] of Object.entries(INVALID)) {
  test(`invalid ${what} are rejected, and change nothing`, async () => {
    const { requestLog } = openRequestLog();
    const sales = { prices: pricesOf(), provider };
    const { browser } = await openMember(openFixture({ requestLog, sales }));
    const { key } = await makeKey(browser, "first");
    const added = await browser.post("/dashboard/webhooks", ENDPOINT);
    const { endpoint } = added.body as EndpointSecretView;
    const read = async () => {
      const paths = ["keys", "webhooks", "notifications", "purchases"];
      return Promise.all(paths.map(async (path) => (await browser.get(`/dashboard/${path}`)).text));
    };
    const before = await read();
    for (const [method, pattern, body, says, code = "invalid_request"] of rows) {
      clock.advance(SECOND);
      const path = pattern.replace(":key", key.id).replace(":endpoint", endpoint.id);
      const response = await browser.send(method, `/dashboard/${path}`, body);
      const name = `${method} ${pattern} ${JSON.stringify(body)}`.slice(0, 200);
      assert.deepEqual([response.status, response.code], [400, code], name);
      const { detail } = response.body as { detail: string };
      if (typeof says === "string") assert.equal(detail.slice(0, says.length), says, name);
      else assert.match(detail, says, name);
    }
    assert.deepEqual(await read(), before);
  });
}
