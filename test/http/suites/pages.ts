import assert from "node:assert/strict";
import { assertProblem, type Sentence } from "../test-api.ts";

/** Paths that people and programs try without having read anything. */
export function pagesSuite(sentence: Sentence) {
  sentence("/health is /healthz", async (service) => {
    const [health, healthz] = [await service.send("/health"), await service.send("/healthz")];
    assert.deepEqual([health.status, health.text], [200, healthz.text]);
    assertProblem(await service.send("/health", { method: "POST" }), "method_not_allowed");
  });

  sentence(
    "pages that are the same for everyone are revalidated by ETag, and API responses are not cached",
    async (service) => {
      const paths = ["/", "/pricing", "/llms.txt", "/robots.txt", "/sitemap.xml", "/openapi.json"];
      for (const path of paths) {
        const first = await service.send(path);
        assert.equal(first.status, 200, path);
        assert.equal(first.header("cache-control"), "no-cache", path);
        const etag = first.header("etag") ?? "";
        assert.match(etag, /^W\/"[\w+/]{22}"$/, path);
        // The ETag is weak, so it is that of every content coding, and clients may send it without the mark.
        for (const known of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
          for (const method of ["GET", "HEAD"]) {
            const headers = { "If-None-Match": known, "Accept-Encoding": "br" };
            const same = await service.send(path, { method, headers });
            assert.deepEqual([same.status, same.text], [304, ""], `${method} ${path} ${known}`);
            for (const name of ["etag", "cache-control", "content-security-policy"]) {
              assert.equal(same.header(name), first.header(name), `${path} ${name}`);
            }
            assert.equal(same.header("content-type") ?? null, null);
          }
        }
        const changed = await service.send(path, { headers: { "If-None-Match": '"other"' } });
        assert.deepEqual([changed.status, changed.text], [200, first.text], path);
        const head = await service.send(path, { method: "HEAD" });
        assert.deepEqual([head.status, head.text, head.header("etag")], [200, "", etag], path);
      }
      for (const path of ["/healthz", "/nowhere", "/api/v1/none"]) {
        const { header } = await service.send(path, { headers: { "If-None-Match": "*" } });
        assert.deepEqual([header("cache-control"), header("etag") ?? null], ["no-store", null]);
      }
    },
    { adapter: "responses without a body" },
  );

  sentence("the 304 of a page varies as its 200 does", async (service) => {
    const asked = { "Accept-Encoding": "gzip" };
    for (const path of ["/openapi.json", "/robots.txt"]) {
      const first = await service.send(path, { headers: asked });
      const headers = { ...asked, "If-None-Match": first.header("etag") ?? "" };
      const same = await service.send(path, { headers });
      assert.equal(same.status, 304);
      assert.equal(same.header("vary") ?? null, first.header("vary") ?? null, path);
    }
  });

  sentence("icons and the manifest are kept for a day", async (service) => {
    const { status, bytes, header } = await service.send("/favicon.ico");
    assert.equal(status, 200);
    assert.equal(header("content-type"), "image/vnd.microsoft.icon");
    assert.equal(header("cache-control"), "public, max-age=86400");
    const view = new DataView(bytes.buffer);
    // One image of 32 by 32 pixels, which is a PNG that ends with the file.
    assert.deepEqual([...bytes.subarray(0, 8)], [0, 0, 1, 0, 1, 0, 32, 32]);
    const [size, offset] = [view.getUint32(14, true), view.getUint32(18, true)];
    assert.equal(offset + size, bytes.length);
    assert.deepEqual([...bytes.subarray(offset + 1, offset + 4)], [...Buffer.from("PNG")]);
    assert.equal(bytes.at(-12), 0);
    assert.equal(Buffer.from(bytes.subarray(-8, -4)).toString(), "IEND");
    assert.deepEqual((await service.send("/favicon.ico")).bytes, bytes);
    const icon = await service.send("/icon.svg");
    assert.equal(icon.status, 200);
    assert.equal(icon.header("content-type"), "image/svg+xml");
    assert.equal(icon.header("cache-control"), "public, max-age=86400");
    assert.match(icon.header("content-security-policy") ?? "", /^default-src 'none';/);
    assert.match(
      icon.text,
      /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg".*prefers-color-scheme:dark/,
    );
    const manifest = await service.send("/manifest.webmanifest");
    assert.equal(manifest.status, 200);
    assert.equal(manifest.header("content-type"), "application/manifest+json");
    assert.equal(manifest.header("cache-control"), "public, max-age=86400");
    const { name, icons, start_url } = manifest.json();
    assert.equal(name, "Toolbooth");
    assert.ok(start_url.endsWith("/"));
    assert.ok(icons[0].src.endsWith("/icon.svg"));
  });

  sentence(
    "for an unknown page a program gets a problem and a browser gets a page",
    async (service) => {
      const rows = [
        [null, false],
        ["*/*", false],
        ["text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8", false],
        ["text/markdown", false],
        ["application/json", true],
        ["application/json, text/plain, */*", true],
        ["application/problem+json", true],
      ] as const;
      for (const [accept, isProblem] of rows) {
        const headers: Record<string, string> = accept === null ? {} : { Accept: accept };
        const response = await service.send("/hash", { headers });
        assert.equal(response.status, 404);
        const isPage = /^<!doctype html>/.test(response.text);
        assert.equal(isPage, !isProblem, String(accept));
        if (isProblem) assert.match(response.json().detail, /Did you mean \/api\/v1\/hash\?$/);
      }
    },
  );

  sentence("a call sent to a page gets the path of the tool", async (service) => {
    const rows = [
      ["/docs/hash", "POST is not allowed on /docs/hash; use GET. Did you mean /api/v1/hash?"],
      ["/docs/errors", "POST is not allowed on /docs/errors; use GET."],
      ["/", "POST is not allowed on /; use GET."],
      ["/healthz", "POST is not allowed on /healthz; use GET."],
    ] as const;
    for (const [path, detail] of rows) {
      const response = await service.send(path, { method: "POST", body: '{"text":"a"}' });
      assert.equal(assertProblem(response, "method_not_allowed").detail, detail);
      assert.equal(response.header("allow"), "GET, HEAD");
    }
  });

  sentence(
    "a page with a trailing slash redirects to the page and keeps the query",
    async (service) => {
      const rows = [
        ["/docs/", "../docs", "/docs"],
        ["/docs/?a=1&b=//evil.example", "../docs?a=1&b=//evil.example", "/docs"],
        ["/docs/errors/", "../errors", "/docs/errors"],
        ["/openapi.json/", "../openapi.json", "/openapi.json"],
        ["/openapi.json.md/", null, null],
        ["/llms.txt/", "../llms.txt", "/llms.txt"],
        ["/docs/%68ash/", "../%68ash", "/docs/hash"],
      ] as const;
      for (const [path, location, target] of rows) {
        for (const method of ["GET", "HEAD"]) {
          const response = await service.send(path, { method });
          assert.equal(response.status, location === null ? 404 : 308, path);
          assert.equal(response.header("location"), location);
          if (location === null) continue;
          const led = new URL(location, `https://a.example${path}`);
          assert.deepEqual([led.origin, decodeURI(led.pathname)], ["https://a.example", target]);
          // Below a path, where a proxy publishes the service.
          const below = new URL(location, `https://a.example/below${path}`);
          assert.equal(decodeURI(below.pathname), `/below${target}`);
          // The tests' service has no documentation to show.
          const status = target.startsWith("/docs") ? 503 : 200;
          assert.equal((await service.send(led.pathname)).status, status);
        }
      }
      assertProblem(await service.send("/docs/", { method: "POST" }), "not_found");
    },
    { adapter: "redirects" },
  );

  sentence("no path redirects to another host", async (service) => {
    for (const path of [
      ...["//evil.example/", "///evil.example/", "//", "/evil.example/", "/docs//evil.example/"],
      ...["/%2f%2fevil.example/", "/%5cevil.example/", "/docs//", "/docs/..%2f..%2fevil.example/"],
      ...["/docs/%2e%2e%2f%2e%2e%2fevil.example/", "/docs/https:evil.example/"],
      ...["/docs/%0d%0aLocation:%20https:evil.example/", "/docs/@evil.example/"],
    ]) {
      const response = await service.send(path);
      const location = response.header("location");
      assert.equal(response.status, location === null ? 404 : 308, path);
      if (location === null) continue;
      assert.match(location, /^\.\.\/[^/]/, path);
      assert.equal(new URL(location, `https://a.example${path}`).host, "a.example", path);
    }
  });
}
