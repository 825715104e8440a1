#!/usr/bin/env bash
# Tests of a client with four libraries that stand in for the server: a redirect, a body packed with gzip, an answer after 1.5 seconds with a signal that ends after 0.2, an object as JSON.
# Expected: what a server leads to: the redirect is followed, the body unpacked, the call ends with a TimeoutError, and the type is application/json.
# Seen on 2026-11-29: nock 15.0.6 with the fetch of Node 24 returns the answer after 1.5 seconds, so a test of a time limit finds none. fetch-mock 12.6.0 returns the 302, hands out the packed bytes as text, and ends with an AbortError, which
# clients tell from a TimeoutError. MockAgent of undici 8.13.1 sends no type with an object. msw 3.0.5 is right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts nock@15.0.6 msw@3.0.5 undici@8.13.1 fetch-mock@12.6.0
cat > seen.mjs <<'JS'
import { gzipSync } from "node:zlib";
const origin = "http://api.example.com";
const packed = gzipSync("hello");
const gzip = { "content-encoding": "gzip" };
const libraries = {
  nock: async () => {
    const { default: nock } = await import("nock");
    const server = nock(origin);
    server.get("/old").reply(302, "", { location: "/new" });
    server.get("/new").reply(200, "hello");
    server.get("/packed").reply(200, packed, gzip);
    server.get("/slow").delay(1_500).reply(200, "hello");
    server.get("/json").reply(200, { credits: 1 });
    return fetch;
  },
  msw: async () => {
    const { http, HttpResponse } = await import("msw");
    const { setupServer } = await import("msw/node");
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return HttpResponse.text("hello");
    };
    const server = setupServer(
      http.get(`${origin}/old`, () => new HttpResponse(null, { status: 302, headers: { location: "/new" } })),
      http.get(`${origin}/new`, () => HttpResponse.text("hello")),
      http.get(`${origin}/packed`, () => new HttpResponse(packed, { headers: gzip })),
      http.get(`${origin}/slow`, slow),
      http.get(`${origin}/json`, () => HttpResponse.json({ credits: 1 })),
    );
    server.listen();
    return fetch;
  },
  undici: async () => {
    const undici = await import("undici");
    const dispatcher = new undici.MockAgent();
    const server = dispatcher.get(origin);
    server.intercept({ path: "/old" }).reply(302, "", { headers: { location: "/new" } });
    server.intercept({ path: "/new" }).reply(200, "hello");
    server.intercept({ path: "/packed" }).reply(200, packed, { headers: gzip });
    server.intercept({ path: "/slow" }).reply(200, "hello").delay(1_500);
    server.intercept({ path: "/json" }).reply(200, { credits: 1 });
    return (url, options) => undici.fetch(url, { ...options, dispatcher });
  },
  "fetch-mock": async () => {
    const { default: fetchMock } = await import("fetch-mock");
    const mock = fetchMock.createInstance();
    mock.get(`${origin}/old`, { status: 302, headers: { location: "/new" } });
    mock.get(`${origin}/new`, "hello");
    mock.get(`${origin}/packed`, () => new Response(packed, { headers: gzip }));
    mock.get(`${origin}/slow`, "hello", { delay: 1_500 });
    mock.get(`${origin}/json`, { credits: 1 });
    return mock.fetchHandler;
  },
};
const [, , name] = process.argv;
const mocked = await libraries[name]();
const { status } = await mocked(`${origin}/old`);
const text = await (await mocked(`${origin}/packed`)).text();
const slow = await mocked(`${origin}/slow`, { signal: AbortSignal.timeout(200) }).then(({ status }) => status, (error) => error.name);
const type = (await mocked(`${origin}/json`)).headers.get("content-type");
console.log(`${name}: redirect ${status}, packed ${text === "hello" ? "hello" : "bytes"}, slow ${slow}, type ${type}`);
process.exit();
JS
seen=$(for library in nock msw undici fetch-mock; do node seen.mjs $library; done)
echo "$seen"
[ "$seen" = 'nock: redirect 200, packed hello, slow 200, type application/json
msw: redirect 200, packed hello, slow TimeoutError, type application/json
undici: redirect 200, packed hello, slow TimeoutError, type null
fetch-mock: redirect 302, packed bytes, slow AbortError, type application/json' ]
