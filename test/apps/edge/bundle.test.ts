import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { bundling } from "../../http/edge.ts";
import { deploySite } from "../../support/edge-site.ts";
import { siteConfig } from "../../support/wrangler-config.ts";

/**
 * The bundles of the two Workers, minified as Wrangler does; nothing leaves this machine. The platform's limit is 3 MB; ours keeps
 * starts of the API Worker fast, which holds what a call needs: Markdown is a third of it, then QR codes, the ledger and its request log.
 */
const API_GZIP_BYTES_MAX = 145_500;
/** Sign-in takes about half of it: better-auth with zod and Kysely, and the plugin for passkeys with its parsers of certificates. */
const SITE_GZIP_BYTES_MAX = 665_000;

describe("the bundle of the API Worker", () => {
  let bundle: Uint8Array;
  let inputs: Metafile["inputs"];
  before(async () => {
    const entry = bundling("../src/apps/edge/api-worker.ts");
    const { outputFiles, metafile } = await build({ ...entry, minify: true });
    bundle = outputFiles[0]?.contents ?? new Uint8Array();
    inputs = metafile.inputs;
  });

  test(`is at most ${API_GZIP_BYTES_MAX} bytes, gzipped`, (t) => {
    const { byteLength } = gzipSync(bundle);
    t.diagnostic(`${byteLength} bytes`);
    assert.ok(byteLength <= API_GZIP_BYTES_MAX, `${byteLength} bytes`);
  });

  test("imports no module of Node, and only one of the platform", () => {
    const outside = Object.values(inputs)
      .flatMap(({ imports }) => imports)
      .filter(({ external }) => external)
      .map((each) => each.path);
    assert.deepEqual([...new Set(outside)], ["cloudflare:workers"]);
  });

  test("contains no page, no email, no account code, and no settings of the other Worker", () => {
    const files = Object.keys(inputs).map((file) => file.replace(/^.*?(?=src\/)/, ""));
    assert.ok(files.includes("src/calls/call-tool.ts"), "the file names are as expected");
    for (const file of files) {
      assert.doesNotMatch(
        file,
        /src\/(?:config\/(?:config|settings)\.ts|email\/|site\/|api\/(?:dashboard|operator|openapi)\/|accounts\/(?:auth|accounts|directory|activity-log)|stores\/schema\/(?:sqlite-dashboard|d1|postgres))|^docs\/|package\.json|better-auth/,
      );
    }
  });
});

test("the site Worker has a size within the platform's limit, and no route of its own", async (t) => {
  const bundle = readFileSync(path.join(await deploySite(), "site-worker.js"));
  const { byteLength } = gzipSync(bundle);
  t.diagnostic(`${byteLength} bytes`);
  assert.ok(byteLength <= SITE_GZIP_BYTES_MAX, `${byteLength} bytes`);
  assert.equal(siteConfig.workers_dev, false);
  assert.ok(!("route" in siteConfig) && !("routes" in siteConfig));
});
