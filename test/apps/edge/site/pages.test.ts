import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { test } from "node:test";
import { DASHBOARD_BODY_BYTES_MAX, DRAIN_SLACK_BYTES } from "#limits.ts";
import { APP_ENTRY, listAppPages } from "#site/app-pages.ts";
import { TOOLS } from "#tools/registry.ts";
import { openOneConnection } from "../../../http/one-connection.ts";
import { openRaw, rawPost } from "../../../http/raw-socket.ts";
import { startServer, temporaryFolder } from "../../../http/server-process.ts";
import { CODE, emailsTo, linkTo, newAddress, until } from "../../../support/dashboard-site.ts";
import { PRICES, SETTINGS, site, startSignIn } from "./fixture.ts";

/** Pages and dashboard of the site Worker behind the API Worker, compared with the same service on Node. */

/** Headers that differ between the servers. */
const OWN = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "date",
  "etag",
  "keep-alive",
  "server-timing",
  "transfer-encoding",
  "vary",
  "x-request-id",
]);

async function get(base: string, path: string, method = "GET") {
  const headers = { "Accept-Encoding": "identity" };
  const response = await fetch(base + path, { method, headers, redirect: "manual" });
  const names = [...response.headers].filter(([name]) => !OWN.has(name) && !name.startsWith("cf-"));
  return {
    status: response.status,
    headers: Object.fromEntries(names),
    body: await response.text(),
  };
}

/** Invalid methods and paths. */
const OTHERS: [method: string, path: string][] = [
  ["POST", "/"],
  ["DELETE", "/sign-in"],
  ["PUT", "/nothing"],
  ["OPTIONS", "/docs"],
  ["OPTIONS", "/dashboard/visitor"],
  ["PUT", "/dashboard/keys"],
  ["POST", "/dashboard/visitor"],
];

const START = "/dashboard/auth/sign-in/start";
const READ_BYTES_MAX = DASHBOARD_BODY_BYTES_MAX + DRAIN_SLACK_BYTES - 1;
const CHUNKED = { "Transfer-Encoding": "chunked" };

test("every page has the same bytes as on Node", async (t) => {
  const folder = temporaryFolder(t);
  const prices = join(folder, "prices.json");
  writeFileSync(prices, JSON.stringify(PRICES));
  const server = await startServer(t, {
    DATA_DIR: folder,
    PUBLIC_URL: site.base,
    TOOLBOOTH_PRICES: prices,
    ...SETTINGS,
    ...site.provider.texts,
  });
  await until("the pages", async () => (await fetch(`${server.base}/sign-in`)).ok);
  const map = (await get(site.base, "/sitemap.xml")).body;
  const written = [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(
    ([, url]) => new URL(url as string).pathname,
  );
  const drawn = listAppPages(TOOLS).map((page) => page.path);
  const texts = ["/sitemap.xml", "/robots.txt", "/llms.txt", "/openapi.json", "/dashboard/visitor"];
  const icons = ["/icon.svg", "/favicon.ico", "/manifest.webmanifest"];
  const ofTheWorker = ["manifest.json", "disposable-domains.json"];
  const built = ofTheWorker.map((name) => `/build/${name}`);
  const wrong = ["/nothing", "/docs/", ...built, "/_headers", "/dashboard/nothing"];
  const paths = new Set([...written, ...drawn, ...texts, ...icons, ...wrong]);
  assert.ok(paths.size > 30, [...paths].join(" "));
  const compare = async (path: string, method: string) => {
    const [here, there] = await Promise.all(
      [site.base, server.base].map(async (base) => {
        const { body, ...rest } = await get(base, path, method);
        return { ...rest, body: body.replace(/"requestId":"[^"]+"/, "") };
      }),
    );
    assert.deepEqual(here, there, `${method} ${path}`);
  };
  for (const path of paths) {
    await compare(path, "GET");
    if (!path.startsWith("/dashboard/")) await compare(path, "HEAD");
  }
  for (const [method, path] of OTHERS) await compare(path, method);

  // The same provider sends the emails of Node.
  const email = newAddress("on-node");
  const response = await startSignIn(email, {}, { ...site, base: server.base });
  assert.equal(response.status, 200, response.text);
  assert.match(await linkTo(site, email, CODE), /\/sign-in\/link#/);
});

test("serves assets with the headers of Node, and 404 for other names", async () => {
  const { body } = await get(site.base, "/sign-in");
  const files = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.ok(
    files.some((path) => /\/main-/.test(path as string)),
    APP_ENTRY,
  );
  assert.ok(files.some((path) => path?.endsWith(".woff2")));
  assert.ok(files.some((path) => path?.endsWith(".png")));
  const types: Record<string, string> = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".woff2": "font/woff2",
    ".png": "image/png",
  };
  for (const path of files as string[]) {
    const { status, headers } = await get(site.base, path);
    assert.equal(status, 200, path);
    const isScript = path.endsWith(".js");
    assert.deepEqual(headers, {
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": types[extname(path)],
      // Other sites show the image of a link.
      "cross-origin-resource-policy": path.endsWith(".png") ? "cross-origin" : "same-origin",
      "x-content-type-options": "nosniff",
      ...(isScript && { "content-security-policy": "default-src 'none'; script-src 'self'" }),
    });
  }
  for (const path of ["/assets/nothing.js", "/assets/../build/manifest.json", "/assets/%2e%2e/x"]) {
    const { status, headers } = await get(site.base, path);
    // Not cacheable: a file that is missing during a rollout would otherwise stay missing for a year.
    assert.deepEqual([status, headers["cache-control"]], [404, "no-store"], path);
  }
});

test("a page requests its styles again only if they changed", async () => {
  const { body } = await get(site.base, "/sign-in");
  const path = /\/assets\/style-[^"]+/.exec(body)?.[0] as string;
  const first = await fetch(site.base + path);
  const headers = { "If-None-Match": first.headers.get("etag") as string };
  assert.equal((await fetch(site.base + path, { headers })).status, 304);
});

test("a forged session has no user, and pages of other sites can change nothing", async () => {
  const cookie = "tb.session_token=made.up; tb.session_data=e30; known=x";
  const visitor = await fetch(`${site.base}/dashboard/visitor`, { headers: { Cookie: cookie } });
  assert.equal(((await visitor.json()) as { user: unknown }).user, null);
  const home = await fetch(`${site.base}/dashboard/home`, { headers: { Cookie: cookie } });
  assert.equal(home.status, 401);
  for (const headers of [
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: site.base.replace("127.0.0.1", "127.0.0.2") },
    { "Sec-Fetch-Site": "cross-site" },
  ]) {
    const response = await startSignIn("crossed@example.com", headers);
    assert.equal(response.status, 403, JSON.stringify(headers));
    assert.match(response.text, /"cross_site"/);
  }
  assert.deepEqual(emailsTo(site, "crossed@example.com"), []);
});

test("rejects bodies that are too large, compressed, not JSON or incomplete, and keeps the connection", async (t) => {
  const ask = openOneConnection(t, site.directPort);
  const whole = JSON.stringify({ email: "whole@example.com" });
  for (const [what, body, status, more, path = START] of [
    ["too large", JSON.stringify({ email: "x".repeat(70_000) }), 413],
    ["the largest body that is read", "x".repeat(READ_BYTES_MAX), 413],
    ["declared as compressed", "not gzip", 400, { "Content-Encoding": "gzip" }],
    ["no JSON", "email=whole", 400],
    ["cut off", whole.slice(0, -20), 400],
    ["no body", "", 400],
    ["from another site", whole, 403, { Origin: "https://evil.example" }],
    ["to nothing", "x".repeat(20_000), 404, {}, "/dashboard/nothing"],
  ] as [string, string, number, object?, string?][]) {
    for (const length of [{ "Content-Length": Buffer.byteLength(body) }, CHUNKED]) {
      const headers = { Origin: site.base, "Content-Type": "application/json", ...length, ...more };
      const options = { path, method: "POST", headers };
      assert.equal(await ask(what, options, body), status, `${what} ${Object.keys(length)}`);
    }
  }
  // A client that disconnects within a body affects nothing else.
  const aborted = openRaw(site.directPort);
  aborted.write(rawPost(START, whole.slice(0, 20), { "Content-Length": String(whole.length) }));
  aborted.socket.end();
  await aborted.closed();
  assert.equal(await ask("after all that", { path: "/dashboard/visitor", method: "GET" }, ""), 200);
  assert.deepEqual(emailsTo(site, "whole@example.com"), []);
});

test("identifies clients only by the platform's header; clients without it share one limit", async () => {
  const from = (address: string) => ({ "CF-Connecting-IP": address });
  const statuses = [];
  for (let turn = 0; turn < 7; turn += 1) {
    statuses.push((await startSignIn(`many-${turn}@example.com`, from("192.0.2.7"))).status);
  }
  assert.deepEqual(statuses, [...Array(6).fill(200), 429]);
  const elsewhere = { "X-Forwarded-For": "192.0.2.99", ...from("192.0.2.7") };
  assert.equal((await startSignIn("posed@example.com", elsewhere)).status, 429);
  assert.equal((await startSignIn("other@example.com", from("2001:db8::1"))).status, 200);
  // Without the header: a separate client, which is not throttled by the one above.
  assert.equal((await startSignIn("without@example.com")).status, 200);
});
