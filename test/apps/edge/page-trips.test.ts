/**
 * How many round trips to D1 and to Durable Objects a request of the dashboard makes one after the other at the edge. Each takes as long
 * as the way to the database or to the object. `docs/cloudflare.md` has the same table.
 *
 * TEST_PAGE_LATENCY_MS=100 makes each trip take so long instead, and prints how long the requests take.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { mock, type TestContext, test } from "node:test";
import { countRoundTrips, delayRoundTrips } from "./round-trips.ts";
import { BASE, openSiteInProcess } from "./site-in-process.ts";

const LATENCY_MS = Number(process.env["TEST_PAGE_LATENCY_MS"] ?? 0);
const DOCS = path.join(import.meta.dirname, "../../../docs/cloudflare.md");
const EMAIL = "ada@example.com";

/** Further ones wait (developers.cloudflare.com/d1/platform/limits). */
const D1_QUERIES_AT_ONCE = 6;

const trips = LATENCY_MS > 0 ? delayRoundTrips(LATENCY_MS) : countRoundTrips();

test("each request waits for as few round trips as the documentation says", async (t) => {
  // Emails and webhooks are sent after responses. Everybody takes them at once.
  mock.method(globalThis, "fetch", async (_: unknown, init?: { body?: unknown }) => {
    const code = /Code: (\d{4} \d{4})/.exec(String(init?.body))?.[1];
    if (code !== undefined) lastCode = code;
    return new Response("{}");
  });
  t.after(() => mock.restoreAll());
  const seen = await visitPages(t);
  if (LATENCY_MS === 0) assert.deepEqual(seen, documented());
});

/** The code of the last email. */
let lastCode = "";

/** The name of each request with its round trips one after the other. */
async function visitPages(t: TestContext): Promise<Record<string, number>> {
  const site = await openSiteInProcess(trips);
  const seen: Record<string, number> = {};

  function openBrowser(address: string) {
    const cookies = new Map<string, string>();
    return async (name: string, method: string, target: string, body?: object) => {
      const headers = new Headers({ origin: BASE, "cf-connecting-ip": address });
      headers.set("cookie", [...cookies].map(([key, value]) => `${key}=${value}`).join("; "));
      const text = body === undefined ? null : JSON.stringify(body);
      const request = new Request(BASE + target, { method, headers, body: text });
      const begunAt = performance.now();
      const { result, rounds } = await trips.run(async () => {
        const response = await site.fetch(request);
        return { response, text: await response.text() };
      });
      const ms = Math.round(performance.now() - begunAt);
      await trips.run(() => site.settled());
      assert.ok(result.response.ok, `${name}: ${result.response.status} ${result.text}`);
      seen[name] = rounds.length;
      for (const round of rounds) {
        const ofD1 = round.filter(({ target: at }) => at === "D1").length;
        assert.ok(ofD1 <= D1_QUERIES_AT_ONCE, `${name}: ${ofD1} queries at once`);
      }
      t.diagnostic(
        LATENCY_MS > 0
          ? `${name}: ${ms} ms`
          : `${name}: ${rounds.map((round) => round.map(({ target: at }) => at).join(" and ")).join(", ")}`,
      );
      for (const cookie of result.response.headers.getSetCookie()) {
        const [pair = ""] = cookie.split(";");
        const at = pair.indexOf("=");
        if (/max-age=0\b/i.test(cookie)) cookies.delete(pair.slice(0, at));
        else cookies.set(pair.slice(0, at), pair.slice(at + 1));
      }
      return JSON.parse(result.text || "{}") as Record<string, { id: string } | undefined>;
    };
  }

  const auth = "/dashboard/auth";
  const start = [`${auth}/sign-in/start`, { email: EMAIL }] as const;
  const code = () => [`${auth}/sign-in/code`, { code: lastCode }] as const;
  const first = openBrowser("192.0.2.1");
  await first("Ask for a code", "POST", ...start);
  await first("Sign up", "POST", ...code());
  await first("Who is signed in (every page)", "GET", "/dashboard/visitor");
  await first("Home", "GET", "/dashboard/home");
  await first("API keys", "GET", "/dashboard/keys");
  const { key } = await first("Create a key", "POST", "/dashboard/keys", { label: "one" });
  const ofKey = `/dashboard/keys/${key?.id}`;
  await first("Rename a key", "PATCH", ofKey, { label: "two" });
  await first("Limit a key", "PATCH", ofKey, { limits: { tools: ["hash"] } });
  await first("Rotate a key", "POST", `${ofKey}/rotate`, { keepHours: 1 });
  await first("Revoke a key", "DELETE", ofKey);
  await first("Usage", "GET", "/dashboard/usage?from=2026-11-01&to=2026-11-21");
  await first("Credits", "GET", "/dashboard/credits");
  await first("Credits: entries", "GET", "/dashboard/credits/entries");
  await first("Purchases", "GET", "/dashboard/purchases");
  await first("Webhooks", "GET", "/dashboard/webhooks");
  const endpoint = { url: "https://hooks.example/x", kinds: ["credits.low"], paused: false };
  await first("Add a webhook", "POST", "/dashboard/webhooks", endpoint);
  await first("Settings: notifications", "GET", "/dashboard/notifications");
  await first("Settings: passkeys", "GET", "/dashboard/passkeys");
  await first("Settings: sessions", "GET", "/dashboard/sessions");
  await first("Settings: activity", "GET", "/dashboard/events");
  await first("Sign out", "POST", `${auth}/sign-out`);
  await first("Ask for a code in a known browser", "POST", ...start);
  await first("Sign in", "POST", ...code());
  const second = openBrowser("192.0.2.2");
  await second("Ask for a code", "POST", ...start);
  await second("Sign in with a new browser", "POST", ...code());
  await second("End the other sessions", "DELETE", "/dashboard/sessions/others");
  return seen;
}

/** The rows of the table. */
function documented(): Record<string, number> {
  const [, section = ""] = readFileSync(DOCS, "utf8").split("## Latency of the pages\n");
  const rows = (section.split("\n## ")[0] ?? "").matchAll(/^\| ([^|]+) \| (\d+) \|$/gm);
  return Object.fromEntries([...rows].map(([, name = "", trips]) => [name, Number(trips)]));
}
