import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { wrangler } from "../../support/edge-site.ts";

/**
 * The bundle of the API Worker as Wrangler would deploy it; nothing leaves this machine. The platform's limit is 3 MB; ours keeps
 * starts fast. It was 110 kB before keys had limits and before floods of calls and forged keys were bounded: both are decided
 * where a call arrives, which costs 4 kB to load and to parse once in the life of an isolate. Usage from sums, pages of grants and
 * finding a call by its id, which an account's object answers, cost 4 kB more; filters of the
 * ledger and the balance after an entry, and how a 402 learns where credits are sold, 2 kB. A pipeline without web objects, and rows that
 * are changed in place, 1 kB. The request log cost 5 kB: half of it gathers calls and stores them in the object, half searches them.
 * What keeps releases of Workers and objects compatible, and what an object does that cannot start, 1 kB.
 * Forms of both kinds, keys in hex and base64, and errors that name a budget and a mistyped key cost 2 kB.
 * What the request log keeps of errors, budgets bounded by a clock, and alarms that set another one, 1 kB.
 * Options of Markdown cost 7 kB: safe HTML 4, formulas 1, and the outline, front matter, links and their schema 2.
 * Bytes, inversion and the mark of UTF-8 in QR codes, and nulls within objects, cost half a kilobyte.
 */
const GZIP_BYTES_MAX = 145_500;
const ROOT = path.join(import.meta.dirname, "../../..");
const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-calls-"));
after(() => rmSync(folder, { recursive: true, force: true }));

type Metafile = {
  inputs: Record<string, { imports: { path: string; external?: boolean }[] }>;
};

describe("the bundle of the API Worker", () => {
  let output = "";
  let metafile: Metafile;
  before(async () => {
    const to = ["--outdir", folder, "--metafile"];
    output = await wrangler("deploy", "--dry-run", ...to);
    metafile = JSON.parse(readFileSync(path.join(folder, "bundle-meta.json"), "utf8"));
  });

  test(`is at most ${GZIP_BYTES_MAX} bytes, gzipped`, () => {
    const { byteLength } = gzipSync(readFileSync(path.join(folder, "api-worker.js")));
    assert.ok(byteLength <= GZIP_BYTES_MAX, `${byteLength} bytes`);
  });

  test("imports no module of Node, and only one of the platform", () => {
    const outside = Object.values(metafile.inputs)
      .flatMap(({ imports }) => imports)
      .filter(({ external }) => external)
      .map((each) => each.path);
    assert.deepEqual([...new Set(outside)], ["cloudflare:workers"]);
  });

  test("contains no page, no email, no account code, and no settings of the other Worker", () => {
    const files = Object.keys(metafile.inputs).map((file) => file.replace(/^.*?(?=src\/)/, ""));
    assert.ok(files.includes("src/api/pipeline/call-tool.ts"), "the file names are as expected");
    for (const file of files) {
      assert.doesNotMatch(
        file,
        /src\/(?:config\/(?:config|settings)\.ts|email\/|site\/|api\/(?:dashboard|operator|openapi)\/|accounts\/(?:auth|accounts|directory|activity-log)|stores\/schema\/(?:sqlite-dashboard|d1|postgres))|^docs\/|package\.json|better-auth/,
      );
    }
  });

  test("binds the objects, the database and the dashboard Worker", () => {
    for (const binding of [/env\.LEDGER \(AccountLedger\)/, /env\.DB/, /env\.SITE/]) {
      assert.match(output, binding);
    }
  });
});

test("the site Worker has its bindings, no route, and a size within the platform's limit", async () => {
  const output = await wrangler("deploy", "--dry-run", "-c", "wrangler.site.jsonc");
  for (const binding of ["LEDGER", "SIGN_IN", "DB", "ASSETS"]) {
    assert.match(output, new RegExp(`env\\.${binding} `), output);
  }
  const [, kilobytes] = /gzip: ([\d.]+) KiB/.exec(output) ?? [];
  // The smallest limit of the platform's plans is 3 MB. Of this, sign-in takes about half: better-auth with zod and Kysely, and
  // the plugin for passkeys with its parsers of certificates. MCP and Stripe follow.
  assert.ok(Number(kilobytes) < 650, output);
  const config = readFileSync(path.join(ROOT, "wrangler.site.jsonc"), "utf8");
  assert.match(config, /"workers_dev": false/);
  assert.doesNotMatch(config, /"routes?"/);
});
