import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import {
  API_CONFIG,
  configFilesOf,
  SITE_CONFIG,
  type WorkerConfig,
  writeConfigs,
} from "#apps/node/deploy-edge/worker-configs.ts";

const ROOT = path.join(import.meta.dirname, "../../../..");
const checkout = mkdtempSync(path.join(tmpdir(), "toolbooth-configs-"));
after(() => rmSync(checkout, { recursive: true, force: true }));
for (const file of [API_CONFIG, SITE_CONFIG])
  cpSync(path.join(ROOT, file), path.join(checkout, file));

const files = configFilesOf("trial/edge.json");
const read = (file: string) =>
  JSON.parse(readFileSync(path.join(checkout, file), "utf8")) as WorkerConfig;

test("the generated configurations have the database's id and the domains", () => {
  writeConfigs(checkout, files, { databaseId: "the-id", domains: ["a.example", "b.example"] });
  const api = read(files.api);
  const site = read(files.site);
  for (const config of [api, site, read(files.apiAlone)]) {
    assert.deepEqual(
      config.d1_databases.map(({ database_id }) => database_id),
      ["the-id"],
    );
    assert.ok(path.isAbsolute(config.main));
    assert.equal(config.workers_dev, false);
    assert.equal(config.preview_urls, false);
  }
  assert.deepEqual(api.routes, [
    { pattern: "a.example", custom_domain: true },
    { pattern: "b.example", custom_domain: true },
  ]);
  assert.equal(site.routes, undefined);
  assert.equal(site.build, undefined);
});

test("two settings files have two configurations", () => {
  const other = configFilesOf("edge.json");
  assert.equal(new Set([...Object.values(files), ...Object.values(other)]).size, 6);
  assert.match(other.site, /^\.wrangler\/deploy-edge\/edge-[0-9a-f]{8}\/site\.json$/);
});

test("without a domain the API Worker alone is at workers.dev, and only when it is complete", () => {
  writeConfigs(checkout, files, { databaseId: "the-id", domains: [] });
  const api = read(files.api);
  const alone = read(files.apiAlone);
  assert.deepEqual([api.workers_dev, alone.workers_dev], [true, false]);
  assert.equal(read(files.site).workers_dev, false);
  assert.ok(api.services?.some(({ binding }) => binding === "SITE"));
  assert.equal(alone.services, undefined);
  assert.deepEqual(alone.durable_objects, api.durable_objects);
});
