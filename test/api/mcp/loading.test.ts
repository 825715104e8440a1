import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const SOURCES = path.join(import.meta.dirname, "../../../src");

test("the SDK of MCP is loaded by the first request, not with the service", () => {
  const importers = (target: RegExp) =>
    readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .filter((name) => target.test(readFileSync(path.join(SOURCES, name), "utf8")));
  assert.deepEqual(importers(/"@modelcontextprotocol\//), ["api/mcp/serve-message.ts"]);
  const values = /^import (?!type )[^;]*"[^"]*\/serve-message\.ts"/m;
  assert.deepEqual(importers(values), []);
  assert.deepEqual(importers(/await import\("\.\/serve-message\.ts"\)/), ["api/mcp/mcp-route.ts"]);
});
