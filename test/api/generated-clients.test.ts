import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { App } from "#api/app.ts";
import { describeApi } from "#api/openapi/openapi.ts";
import { TOOLBOOTH } from "#brand.ts";
import { TOOLS } from "#tools/registry.ts";
import { OUT_OF_THE_WAY, openChanged, openMemory } from "../http/in-process.ts";
import { createCaller, PUBLIC_URL, sha256 } from "../http/test-api.ts";
import { HEY_API, OPENAPI_TYPESCRIPT, ORVAL, type Results } from "./client-code.ts";

/**
 * Clients that are generated from the description with the defaults of each generator: code that uses them compiles under
 * `strict`, and calls work.
 */
const ROOT = path.join(import.meta.dirname, "../..");
// They need TypeScript 5, which they have below this package (docs/decisions/0002-dependencies.md).
const generators = createRequire(
  path.join(ROOT, "node_modules/toolbooth-client-generators/package.json"),
);
const PROGRAMS = path.join(ROOT, "node_modules/toolbooth-client-generators/node_modules/.bin");

const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-clients-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const description = path.join(folder, "openapi.json");
const document = describeApi({
  ...TOOLBOOTH,
  publicUrl: PUBLIC_URL,
  tools: TOOLS,
  version: "1.2.3",
});

/** Code that uses a client, by the name of its generator. */
const USES = {
  "openapi-typescript": OPENAPI_TYPESCRIPT,
  "@hey-api/openapi-ts": HEY_API,
  orval: ORVAL,
};
const fileOf = (name: string) => path.join(folder, `use-${path.basename(name)}.ts`);

before(() => {
  symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  writeFileSync(description, JSON.stringify(document));
  run("openapi-typescript", [description, "-o", "openapi-typescript.ts"]);
  run("openapi-ts", ["-i", description, "-o", "hey-api", "--silent"]);
  // With several types of bodies orval's code does not compile: it passes a form on as a body of fetch.
  const override = { contentType: { include: ["application/json", "application/problem+json"] } };
  const output = { target: "orval.ts", client: "fetch", baseUrl: PUBLIC_URL, override };
  const config = JSON.stringify({ tools: { input: description, output } });
  writeFileSync(path.join(folder, "orval.config.mjs"), `export default ${config}`);
  run("orval", ["-c", "orval.config.mjs"]);
  for (const [name, code] of Object.entries(USES)) writeFileSync(fileOf(name), code);
});

test("code that uses the generated clients compiles, and no type collides", () => {
  compile(Object.keys(USES).map(fileOf));
  const types = readFileSync(path.join(folder, "hey-api/types.gen.ts"), "utf8");
  // A name that collides gets a number.
  const numbered = [...types.matchAll(/export type (\w+\d) /g)].map(([, name]) => name ?? "");
  const own = Object.values(document.components).flatMap((each) => Object.keys(each));
  assert.deepEqual(
    numbered.filter((name) => !own.includes(name)),
    [],
  );
});

for (const name of Object.keys(USES))
  test(`${name}: calls work`, async (t) => {
    const outfile = path.join(folder, "bundles", `${path.basename(name)}.mjs`);
    const entryPoints = [fileOf(name)];
    await build({ entryPoints, bundle: true, format: "esm", outfile, logLevel: "error" });
    const { callEverything } = (await import(pathToFileURL(outfile).href)) as Use;
    const { service, fetch } = await open(t);
    // Orval's functions call this one.
    t.mock.method(globalThis, "fetch", (url: string, init: RequestInit) =>
      fetch(new Request(url, init)),
    );
    const caller = await createCaller(service);
    const poor = await createCaller(service, { credits: 0 });
    const { uuids, svg, ...rest } = await callEverything(PUBLIC_URL, caller.key, poor.key, fetch);
    assert.deepEqual(rest, {
      html: "<h1>Hello</h1>\n",
      hash: sha256("hello"),
      echoed: { any: ["value"] },
      balance: 95,
      fault: ["invalid_request", "/count"],
      credits: [0, 1],
    });
    assert.equal(uuids.length, 1);
    assert.match(svg, /^<svg /);
    // The idempotency key arrived.
    const repeat = await caller.call("uuid", undefined, { "Idempotency-Key": "order-4711" });
    assert.deepEqual(repeat.json().uuids, uuids);
  });

test("openapi-to-postmanv2: every request of an imported collection works unchanged, and sends no header of its own", async (t) => {
  const { service, fetch } = await open(t);
  const { key } = await createCaller(service, { credits: 100 });
  // The first are the converter's own defaults, with which Postman imports.
  for (const options of [
    {},
    { parametersResolution: "Schema" },
    { parametersResolution: "Example" },
  ]) {
    const requests = await importIntoPostman(options);
    assert.equal(requests.length, TOOLS.length + 1);
    for (const { name, method, url, headers, body } of requests) {
      const names = headers.map(([header]) => header);
      for (const header of names) assert.match(header, /^(?:Content-Type|Accept)$/);
      const response = await fetch(
        new Request(url, {
          method,
          headers: [...headers, ["Authorization", `Bearer ${key}`]],
          ...(body !== undefined && { body }),
        }),
      );
      assert.equal(response.status, 200, `${name}: ${await response.text()}`);
    }
  }
});

async function open(t: TestContext) {
  const apps: App[] = [];
  const service = await openChanged(t, {}, OUT_OF_THE_WAY, (...given) => {
    const opened = openMemory(...given);
    apps.push(opened.app);
    return opened;
  });
  const fetch = async (request: Request) => (apps.at(-1) as App).fetch(request);
  return { service, fetch };
}

type Use = {
  callEverything(
    baseUrl: string,
    key: string,
    poorKey: string,
    fetch: (request: Request) => Promise<Response>,
  ): Promise<Results>;
};

/** The compiler of this project, with the strictest settings that users of generated code choose. */
function compile(files: readonly string[]): void {
  const config = path.join(folder, "tsconfig.json");
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
    noEmit: true,
    strict: true,
    allowImportingTsExtensions: true,
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const { status, stdout } = spawnSync(
    process.execPath,
    [path.join(ROOT, "node_modules/typescript/bin/tsc"), "-p", config],
    { encoding: "utf8" },
  );
  assert.equal(status, 0, stdout);
}

function run(program: string, parameters: string[]): void {
  mkdirSync(path.join(folder, "home"), { recursive: true });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(PROGRAMS, program), ...parameters],
    {
      cwd: folder,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        HOME: path.join(folder, "home"),
        CI: "true",
        NO_COLOR: "1",
      },
    },
  );
  assert.equal(status, 0, stdout + stderr);
}

type PostmanItem = {
  name: string;
  item?: PostmanItem[];
  request: {
    method: string;
    header: { key: string; value: string }[];
    url: { path: string[]; query: { key: string; value: string }[] };
    body?: { raw: string };
  };
};
type Converted = { result: boolean; reason?: string; output: { data: { item: PostmanItem[] } }[] };

/** The requests of the collection that Postman makes of the description, as it would send them. */
async function importIntoPostman(options: { parametersResolution?: string }) {
  const { convertV2 } = generators("openapi-to-postmanv2") as {
    convertV2(
      input: object,
      options: object,
      done: (fault: Error | null, converted: Converted) => void,
    ): void;
  };
  const { promise, resolve, reject } = Promise.withResolvers<Converted>();
  const data = JSON.parse(JSON.stringify(document)) as unknown;
  convertV2({ type: "json", data }, options, (fault, converted) =>
    fault === null ? resolve(converted) : reject(fault),
  );
  const { result, reason, output } = await promise;
  assert.ok(result, reason);
  const flat = (items: PostmanItem[]): PostmanItem[] =>
    items.flatMap((each) => (each.item === undefined ? [each] : flat(each.item)));
  return flat(output[0]?.data.item ?? []).map(({ name, request }) => {
    const query = request.url.query.map(({ key, value }): [string, string] => [key, value]);
    return {
      name,
      method: request.method,
      url: `${PUBLIC_URL}/${request.url.path.join("/")}?${new URLSearchParams(query)}`,
      headers: request.header.map(({ key, value }): [string, string] => [key, value]),
      body: request.body?.raw,
    };
  });
}
