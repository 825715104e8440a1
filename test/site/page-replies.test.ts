import assert from "node:assert/strict";
import { test } from "node:test";
import type { Replier } from "#api/pipeline/reply.ts";
import type { RequestContext } from "#api/pipeline/request-context.ts";
import type { LegalSources } from "#site/legal-sources.ts";
import { createPageReplier } from "#site/page-replies.ts";
import { createPageRoutes } from "#site/page-routes.ts";
import type { BuiltPages } from "#site/site-context.ts";
import { FULL } from "./pages-server.ts";

/** Only what the pages use: a response with the headers that it is given, on top of one that all responses have. */
const common = { "X-Request-Id": "req_1", "Cache-Control": "no-store" };
const replier: Pick<Replier, "plain" | "headers"> = {
  plain: (type, body, _, __, more) =>
    new Response(body as string, {
      status: more?.status ?? 200,
      headers: { ...common, "Content-Type": type, ...more?.headers },
    }),
  headers: (_, __, own) => ({ ...common, ...own }),
};
const context = {} as RequestContext;
const LONG = "a page ".repeat(1_000);

async function ask(pages: ReturnType<typeof createPageReplier>, body: string, known?: string) {
  const headers: Record<string, string> = known === undefined ? {} : { "If-None-Match": known };
  const request = new Request("https://tools.test/docs/hash", { headers });
  return pages.page("text/html", body, request, context, { Vary: "Accept" });
}

test("a page has another ETag when it has changed", async () => {
  const pages = createPageReplier(replier as Replier, { compress: null });
  const first = await ask(pages, "one");
  const etag = first.headers.get("etag") ?? "";
  assert.equal((await ask(pages, "one", etag)).status, 304);
  const changed = await ask(pages, "two", etag);
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get("etag"), etag);
  assert.equal((await ask(pages, "one", etag)).status, 304);
});

test("the 304 of a negotiated page varies by Accept, and by Accept-Encoding where the runtime compresses it", async () => {
  const compress = async () => new Uint8Array();
  for (const [pages, body, vary] of [
    [createPageReplier(replier as Replier, { compress }), LONG, "Accept, Accept-Encoding"],
    [createPageReplier(replier as Replier, { compress }), "short", "Accept"],
    [createPageReplier(replier as Replier, { compress: null }), LONG, "Accept"],
  ] as const) {
    const same = await ask(pages, body, "*");
    assert.deepEqual([same.status, same.headers.get("vary")], [304, vary]);
    assert.equal(same.headers.get("cache-control"), "no-cache");
    assert.equal(same.headers.get("x-request-id"), "req_1");
  }
});

const BUILT: BuiltPages = {
  serveAsset: async () => new Response(),
  assetsFor: async () => ({ scripts: [], styles: [], preloads: [], firstPaint: "", files: null }),
  frontAssets: () => null,
};

test("every page has another ETag as soon as the operator's pages change, without a restart", async () => {
  let legal: LegalSources = { terms: "# Terms\n\nOne." };
  const { settings: table, assets: _, docs: __, dashboard, ...settings } = FULL;
  const pages = createPageReplier(replier as Replier, { compress: null });
  const site = {
    settings: { ...settings, ...(table && { table }) },
    dashboard: { offer: dashboard, fetch: async () => new Response() },
    pages: BUILT,
    docs: () => FULL.docs ?? null,
    legal: () => legal,
  };
  const routes = new Map(createPageRoutes(site, pages).map(({ path, handler }) => [path, handler]));
  async function visit(path: string, known = "") {
    const headers = { "If-None-Match": known };
    const response = await routes.get(path)?.(
      new Request(`https://tools.test${path}`, { headers }),
      context,
    );
    assert.ok(response, path);
    return { status: response.status, etag: response.headers.get("etag") ?? "" };
  }
  const paths = ["/", "/pricing", "/terms", "/docs", "/sign-up", "/home", "/sitemap.xml"];
  const before = new Map<string, string>();
  for (const path of paths) before.set(path, (await visit(path)).etag);
  for (const path of paths) assert.equal((await visit(path, before.get(path))).status, 304, path);
  legal = { terms: "# Terms\n\nTwo.", privacy: "Text." };
  for (const path of paths) {
    const { status, etag } = await visit(path, before.get(path));
    assert.equal(status, 200, path);
    assert.notEqual(etag, before.get(path), path);
  }
  legal = { terms: "# Terms\n\nThree.", privacy: "Text." };
  assert.equal((await visit("/terms")).status, 200);
  legal = {};
  assert.equal((await visit("/terms", before.get("/terms"))).status, 404);
});
