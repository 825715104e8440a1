import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import type { AppContext } from "#calls/app-context.ts";
import { Replier } from "#calls/reply.ts";
import type { RequestContext } from "#calls/request-context.ts";
import type { LegalSources } from "#site/legal-sources.ts";
import { createPageReplier } from "#site/page-replies.ts";
import { createPageRoutes, keepPages } from "#site/page-routes.ts";
import type { BuiltPages } from "#site/site-context.ts";
import { FULL } from "./pages-server.ts";

/** Only what the pages use: a response with the headers that it is given, on top of one that all responses have. */
const common = { "X-Request-Id": "req_1", "Cache-Control": "no-store" };
const replier: Pick<Replier, "plain" | "headers"> = {
  plain: async (type, body, _, __, more) =>
    new Response(body as string, {
      status: more?.status ?? 200,
      headers: { ...common, "Content-Type": type, ...more?.headers },
    }),
  headers: (_, __, own) => ({ ...common, ...own }),
};
const context = {} as RequestContext;
const BARE = { timing: "", rate: null, balance: null } as RequestContext;
const LONG = "a page ".repeat(1_000);

/** The pages of an app that compresses in this way. */
function pagesOf(compress: (encoding: string, body: string | Uint8Array) => Promise<Uint8Array>) {
  const app = {
    ...{ elapsed: () => 0, sendStream: () => null, logError() {}, compress },
    settings: { name: "Toolbooth", rateLimit: 0, publicUrl: "https://tools.test" },
  } as unknown as AppContext;
  return createPageReplier(new Replier(app), app);
}

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
  assetsFor: async () => ({
    ...{ scripts: [], styles: [], preloads: [] },
    ...{ firstPaint: "", early: "", files: null },
  }),
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
  const routes = new Map(
    createPageRoutes(site, keepPages(site), pages).map(({ path, handler }) => [path, handler]),
  );
  async function visit(path: string, known = "") {
    const headers = { "If-None-Match": known };
    const response = await routes.get(path)?.(
      new Request(`https://tools.test${path}`, { headers }),
      context,
    );
    assert.ok(response, path);
    return { status: response.status, etag: response.headers.get("etag") ?? "" };
  }
  const paths = ["/", "/pricing", "/terms", "/docs", "/sign-in", "/home", "/sitemap.xml"];
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

test("a page is compressed once, however many ask for it together, and a failure is not kept", async () => {
  const work: string[] = [];
  const compress = async (encoding: string, body: string | Uint8Array) => {
    work.push(encoding);
    if (work.length === 1) throw new Error("no memory");
    return encoding === "br" ? brotliCompressSync(body) : gzipSync(body);
  };
  const pages = pagesOf(compress);
  const headers = { "Accept-Encoding": "br" };
  const visit = (body = LONG) =>
    pages.page("text/html", body, new Request("https://tools.test/", { headers }), BARE);
  await Promise.resolve(visit()).catch(() => {});
  const all = await Promise.all(Array.from({ length: 50 }, () => visit()));
  for (const response of all) assert.equal(response.headers.get("content-encoding"), "br");
  // As a page that is written anew for each request.
  await visit(["a page ".repeat(500), "a page ".repeat(500)].join(""));
  assert.deepEqual(work, ["br", "br"]);
});

test("pages, the search index, the description of the API and the 404 page are compressed once and sent with their Vary and ETag", async () => {
  const work: string[] = [];
  const pages = pagesOf(async (encoding, body) => {
    work.push(`${encoding} ${body.length}`);
    return encoding === "br" ? brotliCompressSync(body) : gzipSync(body);
  });
  const of = (headers: Record<string, string>, body = LONG) =>
    pages.page("text/html", body, new Request("https://tools.test/", { headers }), BARE, {
      Vary: "Accept",
    });
  const etags = new Set<string | null>();
  for (const [accepts, encoding] of [
    ["br", "br"],
    ["gzip, br", "br"],
    ["gzip", "gzip"],
    ["gzip;q=1, br;q=0.5", "gzip"],
    ["identity", null],
    ["br;q=0", null],
    ["", null],
  ] as const)
    for (let turn = 0; turn < 3; turn += 1) {
      const response = await of({ "Accept-Encoding": accepts });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const text =
        encoding === "br"
          ? brotliDecompressSync(bytes)
          : encoding === "gzip"
            ? gunzipSync(bytes)
            : bytes;
      assert.equal(new TextDecoder().decode(text), LONG, accepts);
      assert.equal(response.headers.get("content-encoding"), encoding);
      assert.equal(response.headers.get("vary"), "Accept, Accept-Encoding");
      etags.add(response.headers.get("etag"));
    }
  assert.deepEqual(work, [`br ${LONG.length}`, `gzip ${LONG.length}`]);
  const [etag] = etags;
  assert.equal(etags.size, 1, "a weak ETag stands for every coding");
  assert.equal((await of({ "Accept-Encoding": "br", "If-None-Match": etag ?? "" })).status, 304);
  const notFound = () =>
    pages.own("text/html", LONG, new Headers({ "accept-encoding": "br" }), BARE, { status: 404 });
  for (let turn = 0; turn < 3; turn += 1) assert.equal((await notFound()).status, 404);
  assert.equal(work.length, 2);
});
