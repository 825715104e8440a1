import assert from "node:assert/strict";
import { test } from "node:test";
import type { Replier } from "#api/pipeline/reply.ts";
import type { RequestContext } from "#api/pipeline/request-context.ts";
import { createPageReplier } from "#site/page-replies.ts";

/** Only what the pages use: a response with the headers that it is given, on top of one that all responses have. */
const common = { "X-Request-Id": "req_1", "Cache-Control": "no-store" };
const replier: Pick<Replier, "plain" | "empty"> = {
  plain: (type, body, _, __, more) =>
    new Response(body as string, {
      status: more?.status ?? 200,
      headers: { ...common, "Content-Type": type, ...more?.headers },
    }),
  empty: (_, headers) => new Response(null, { status: 204, headers: { ...common, ...headers } }),
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
