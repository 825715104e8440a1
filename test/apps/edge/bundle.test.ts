import assert from "node:assert/strict";
import path from "node:path";
import { before, describe, type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { TOOLS } from "#tools/registry.ts";
import { LAZY_TOOLS } from "../../../src/apps/edge/tools.ts";
import {
  bundleWorkers,
  findEdgeParts,
  ROOT,
  type WorkerBundle,
} from "../../../src/apps/node/bundle-workers.ts";
import { siteConfig } from "../../support/wrangler-config.ts";

/**
 * The bundles of the two Workers, minified as they are deployed; nothing leaves this machine. The platform's limit is 3 MB; ours keeps
 * starts of the API Worker fast (docs/decisions/0060). What an account's object loads is bounded apart: it runs elsewhere than most calls.
 */
const CALL_GZIP_BYTES_MAX = 66_000;
/** Its engine alone takes 37,000. */
const MARKDOWN_GZIP_BYTES_MAX = 89_000;
const OBJECT_GZIP_BYTES_MAX = 32_000;
/** Sign-in takes about half of it: better-auth with zod and Kysely, and the plugin for passkeys with its parsers of certificates. */
const SITE_GZIP_BYTES_MAX = 628_000;

let bundles: Awaited<ReturnType<typeof bundleWorkers>>;
before(async () => {
  bundles = await bundleWorkers(findEdgeParts(ROOT), ROOT, { tools: TOOLS, files: [] });
});

describe("the modules of the API Worker", () => {
  let bundle: WorkerBundle;
  before(() => {
    bundle = bundles.api;
  });

  /** The module and what it imports at once. */
  function withImports(name: string, found = new Set<string>()): Set<string> {
    if (found.has(name)) return found;
    found.add(name);
    for (const each of bundle.metafile.outputs[`dist/edge/${name}`]?.imports ?? [])
      if (each.kind === "import-statement" && !each.external)
        withImports(path.basename(each.path), found);
    return found;
  }

  /** The module of a source file. */
  function moduleOf(source: string): string {
    const [name] =
      Object.entries(bundle.metafile.outputs).find(([, { entryPoint }]) => entryPoint === source) ??
      assert.fail(`${source} has no module of its own`);
    return path.basename(name);
  }

  function assertSize(loaded: Set<string>, max: number, t: TestContext): void {
    const bytes = [...loaded].map((each) => bundle.modules.get(each) ?? assert.fail(each));
    const { byteLength } = gzipSync(Buffer.concat(bytes));
    t.diagnostic(`${byteLength} bytes`);
    assert.ok(byteLength <= max, `${byteLength} bytes`);
  }

  for (const { name } of TOOLS) {
    const max = name === "markdown-render" ? MARKDOWN_GZIP_BYTES_MAX : CALL_GZIP_BYTES_MAX;
    test(`a call of ${name} loads at most ${max} bytes, gzipped`, (t) => {
      const tool = moduleOf(`src/tools/${name}/tool.ts`);
      assertSize(withImports(tool, withImports("worker.js")), max, t);
    });
  }

  test(`the object of an account loads at most ${OBJECT_GZIP_BYTES_MAX} bytes more than the Worker, gzipped`, (t) => {
    const worker = withImports("worker.js");
    const object = withImports(moduleOf("src/stores/durable-object/account-object.ts"));
    const own = [...object].filter((each) => !worker.has(each));
    assertSize(new Set(own), OBJECT_GZIP_BYTES_MAX, t);
  });

  test("the Worker loads each tool by its name, in the order of the list", async () => {
    assert.deepEqual(
      LAZY_TOOLS.map(({ name }) => name),
      TOOLS.map(({ name }) => name),
    );
    assert.deepEqual(await Promise.all(LAZY_TOOLS.map((tool) => tool.load())), TOOLS);
  });

  test("import no module of Node, and only one of the platform", () => {
    const outside = Object.values(bundle.metafile.inputs)
      .flatMap(({ imports }) => imports)
      .filter(({ external }) => external)
      .map((each) => each.path);
    assert.deepEqual([...new Set(outside)], ["cloudflare:workers"]);
  });

  test("contain no page, no email, no account code, and no settings of the other Worker", () => {
    const files = Object.keys(bundle.metafile.inputs);
    assert.ok(files.includes("src/apps/edge/api-worker.ts"), "the file names are as expected");
    for (const file of files) {
      assert.doesNotMatch(
        file,
        /src\/(?:config\/(?:config|settings)\.ts|email\/|site\/|api\/(?:dashboard|operator|openapi)\/|accounts\/(?:auth|accounts|directory|activity-log)|stores\/schema\/(?:sqlite-dashboard|d1|postgres))|^docs\/|package\.json|better-auth/,
      );
    }
  });
});

test("the site Worker is one module of a size within the platform's limit, and has no route of its own", (t) => {
  const [[name, bundle] = assert.fail(), ...others] = bundles.site.modules;
  assert.deepEqual([name, others], ["worker.js", []]);
  const { byteLength } = gzipSync(bundle);
  t.diagnostic(`${byteLength} bytes`);
  assert.ok(byteLength <= SITE_GZIP_BYTES_MAX, `${byteLength} bytes`);
  assert.equal(siteConfig.workers_dev, false);
  assert.ok(!("route" in siteConfig) && !("routes" in siteConfig));
});
