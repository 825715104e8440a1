import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { D1_MIGRATIONS } from "#stores/schema/d1-migrations.ts";
import { wrangler } from "../../support/edge-site.ts";

/** The output of `npm run build:edge` for Wrangler. Other tests read it at the same time, so this test deletes nothing. */
const ROOT = path.join(import.meta.dirname, "../../..");
const OUT = path.join(ROOT, "dist", "edge");

const build = () =>
  promisify(execFile)(process.execPath, [path.join(ROOT, "src/apps/node/build-edge.ts")]);

function hashes(): Record<string, string> {
  const files = readdirSync(OUT, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  return Object.fromEntries(
    files.map((file) => [
      path.relative(OUT, file),
      createHash("sha256").update(readFileSync(file)).digest("hex"),
    ]),
  );
}

test("the same sources give the same files, also in concurrent builds, and old files are deleted", async () => {
  await build();
  const first = hashes();
  const old = path.join(OUT, "assets", "assets", "of-an-older-build.js");
  writeFileSync(old, "");
  await Promise.all([build(), build()]);
  assert.ok(!existsSync(old));
  assert.deepEqual(hashes(), first);
});

test("the files are the pages, their headers, the Worker's data, and the tables of D1", async () => {
  await build();
  const names = Object.keys(hashes());
  for (const name of [
    "_headers",
    "build/manifest.json",
    "build/first-paint.css",
    "build/docs.json",
    "build/legal.json",
    "build/weak-passwords.bin",
    "build/disposable-domains.json",
  ]) {
    assert.ok(names.includes(path.join("assets", name)), name);
  }
  const { "main.tsx": main } = JSON.parse(
    readFileSync(path.join(OUT, "assets/build/manifest.json"), "utf8"),
  ) as Record<string, { file: string }>;
  assert.ok(names.includes(path.join("assets", main?.file ?? "")), main?.file);
  assert.ok(!names.some((name) => /\.(?:br|gz)$/.test(name)));
  assert.deepEqual(
    names.filter((name) => name.startsWith("migrations")),
    D1_MIGRATIONS.map(({ name }) => path.join("migrations", `${name}.sql`)),
  );
  for (const { name, sql } of D1_MIGRATIONS) {
    assert.equal(
      readFileSync(path.join(OUT, "migrations", `${name}.sql`), "utf8").trim(),
      sql.trim(),
    );
  }
});

test("Wrangler accepts the dashboard Worker, which has no route, within the platform's size limit", async () => {
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
