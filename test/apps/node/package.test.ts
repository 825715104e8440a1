import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import {
  buildCloudflarePackage,
  buildCreatePackage,
  buildPackage,
} from "#apps/node/build-package.ts";
import { buildPages } from "#apps/node/build-pages.ts";
import { eventually } from "../../http/test-api.ts";
import { afterSuite } from "../../support/after-suite.ts";
import { bareEnvironment } from "../../support/bare-environment.ts";
import { HANGS_MS } from "../../support/deadline.ts";
import { openEdgeSite } from "../../support/edge-site.ts";
import { startRegistry } from "../../support/npm-registry.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { WORD_COUNT } from "./tool-project.ts";

/** What is published: a user with npm and nothing else of ours installs it into a project of their own, and has a service that charges. */
const ROOT = path.join(import.meta.dirname, "../../..");
const TARBALL_BYTES_MAX = 3_000_000;
const CLOUDFLARE_BYTES_MAX = 800_000;

const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
const ours = manifestIn(ROOT);
/** Wrangler asks for nothing outside of this machine. */
const NO_NETWORK = { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" };

type Packed = { filename: string; size: number; files: { path: string }[] };

describe("the package", () => {
  const t = afterSuite();
  const folder = temporaryFolder(t);
  const built = path.join(folder, "package");
  const project = path.join(folder, "my-api");
  const installed = path.join(project, "node_modules/toolbooth");
  const program = path.join(project, "node_modules/.bin/toolbooth");
  const env = {
    ...{ ...bareEnvironment(), HOME: folder, npm_config_cache: path.join(folder, "cache") },
    ...{ npm_config_audit: "false", npm_config_fund: "false", npm_config_update_notifier: "false" },
  };
  const run = (command: string, args: readonly string[], cwd = project) =>
    promisify(execFile)(command, args, { cwd, env, timeout: HANGS_MS });
  /** Packs all of them with one npm, whose start takes a second each time. */
  async function pack(...from: string[]): Promise<Packed[]> {
    const { stdout } = await run("npm", ["pack", ...from, "--json"], folder);
    return Object.values(JSON.parse(stdout));
  }
  /** The tarballs of the versions that are published. */
  const versions: string[] = [];
  let packed: Packed;
  let packedCreate: Packed;
  let tarball: string;
  let paths: string[];
  let packedCloudflare: Packed;
  let registry: Awaited<ReturnType<typeof startRegistry>>;

  before(async () => {
    const create = path.join(folder, "create-package");
    const cloudflare = path.join(folder, "package-cloudflare");
    await buildPackage(ROOT, await buildPages(ROOT, folder), built);
    buildCreatePackage(ROOT, create);
    await buildCloudflarePackage(ROOT, cloudflare);
    const all = (await pack(built, create, cloudflare)) as [Packed, Packed, Packed];
    [packed, packedCreate, packedCloudflare] = all;
    tarball = path.join(folder, packed.filename);
    paths = packed.files.map((file) => file.path);
    versions.push(tarball);
    registry = await startRegistry(t, {
      toolbooth: versions,
      "create-toolbooth": [path.join(folder, packedCreate.filename)],
      "toolbooth-cloudflare": [path.join(folder, packedCloudflare.filename)],
    });
    mkdirSync(project);
    const theirs = { name: "my-api", version: "7.0.0", private: true, license: "UNLICENSED" };
    writeFileSync(path.join(project, "package.json"), JSON.stringify(theirs));
    await npm(project, "install", "toolbooth");
    writeFileSync(path.join(project, ".env"), "PORT=0\nTOOLBOOTH_STARTER_CREDITS=7\n");
    mkdirSync(path.join(project, "tools"));
    writeFileSync(path.join(project, "tools/word-count.ts"), WORD_COUNT);
  });
  const npm = (cwd: string, ...args: string[]) =>
    run("npm", [...args, "--registry", registry.url], cwd);

  test("has what runs, pages, docs and licenses, and no sources, tests, binaries or install scripts", () => {
    const kept =
      /^(?:package\.json|README\.md|LICENSE|THIRD-PARTY-LICENSES\.txt|docs\/[\w-]+\.md|dist\/.+)$/;
    const dist =
      /^dist\/(?:toolbooth\.js|tools\/own-tool\.js|types\/[\w/-]+\.d\.ts|apps\/(?:start\.js|node\/(?:builds\.js|right-node\.cjs))|server\/packed\/[\w-]+\.cjs|pages\/packed\/.+)$/;
    for (const each of paths) {
      assert.match(each, kept);
      if (each.startsWith("dist/")) assert.match(each, dist);
      assert.doesNotMatch(each, /\.tsx?$(?<!\.d\.ts)|\.test\.|\.map$/);
    }
    for (const each of ["docs/quickstart.md", "dist/pages/packed/manifest.json", "LICENSE"])
      assert.ok(paths.includes(each), each);
    const manifest = manifestIn(installed);
    for (const name of ["scripts", "optionalDependencies", "devDependencies", "overrides"])
      assert.equal(manifest[name], undefined, name);
    assert.deepEqual(Object.keys(manifest.exports), [".", "./package.json"]);
    assert.equal(manifest.engines.node, ">=24");
    assert.deepEqual(Object.keys(manifest.dependencies), ["yaml", "zod"]);
    for (const [name, version] of Object.entries(manifest.dependencies))
      assert.equal(version, ours.dependencies[name], `${name} is pinned`);
  });

  test("is small, and brings few other packages", () => {
    assert.ok(packed.size <= TARBALL_BYTES_MAX, `${packed.size} bytes`);
    const lock = JSON.parse(readFileSync(path.join(project, "package-lock.json"), "utf8"));
    const names = Object.keys(lock.packages).filter((name) => name !== "");
    assert.ok(names.length <= 3, names.join());
    assert.ok(
      ![...registry.asked].some((name) => /^node(?:-|$)/.test(name)),
      "Node is not among them",
    );
  });

  test("has the license of every package whose code it contains", () => {
    const text = readFileSync(path.join(installed, "THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const name of ["hono", "better-auth", "pg", "zod", "react", "@mantine/core"])
      assert.match(text, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"));
    assert.match(text, /^@fontsource-variable\/figtree \S+ \(OFL-1\.1\)$/m);
    assert.match(text, /SIL OPEN FONT LICENSE Version 1\.1/);
    assert.doesNotMatch(text, /\(undefined\)/);
  });

  test("publint and arethetypeswrong find nothing", async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, pack: false });
    assert.deepEqual(
      messages.map((each) => formatMessage(each, pkg)),
      [],
    );
    const result = await checkPackage(
      createPackageFromTarballData(new Uint8Array(readFileSync(tarball))),
    );
    assert.ok("problems" in result, "it has types");
    // Resolution as of Node 10 knows no `exports`, and Node 24 can require modules.
    const found = result.problems.filter(
      (problem) =>
        !("resolutionKind" in problem && problem.resolutionKind === "node10") &&
        problem.kind !== "CJSResolvesToESM",
    );
    assert.deepEqual(found, []);
  });

  test("gives tools of one's own defineTool and z, whose types hold, and the Zod that they import themselves", async () => {
    const types = path.join(project, "types");
    mkdirSync(types);
    const check = `import { defineTool, z } from "toolbooth";
import * as zod from "zod";
if (z !== zod.z || typeof defineTool !== "function") throw new Error("another Zod");
`;
    writeFileSync(path.join(types, "check.ts"), check);
    writeFileSync(path.join(types, "word-count.ts"), WORD_COUNT);
    await run(process.execPath, [path.join(types, "check.ts")]);
    const wrong = `import { z } from "toolbooth";
export const text: number = z.string().parse("a");
`;
    writeFileSync(path.join(types, "wrong.ts"), wrong);
    const strict = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2024"];
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        path.join(ROOT, "node_modules/typescript/bin/tsc"),
        ...strict,
        ...["check", "word-count", "wrong"].map((name) => `types/${name}.ts`),
      ],
      { cwd: project, encoding: "utf8" },
    );
    assert.notEqual(status, 0);
    const errors = stdout.trim().split("\n");
    assert.equal(errors.length, 1, stdout);
    assert.match(errors[0] ?? "", /^types\/wrong\.ts\(2,14\): error TS2322/);
  });

  test("nothing else of it can be imported", async () => {
    const failed = await run(process.execPath, [
      "-e",
      'import("toolbooth/dist/server/packed/main.cjs").catch(({ code }) => console.log(code))',
    ]);
    assert.equal(failed.stdout, "ERR_PACKAGE_PATH_NOT_EXPORTED\n");
  });

  test("an old Node says which one is needed and how to get it", (t) => {
    const file = "/usr/bin/node";
    const version = existsSync(file)
      ? `${spawnSync(file, ["-p", "process.versions.node"]).stdout}`
      : "";
    if (version === "" || Number.parseInt(version, 10) >= 24)
      return t.skip("there is no old Node on this machine");
    const { status, stdout, stderr } = spawnSync(file, ["node_modules/.bin/toolbooth", "start"], {
      cwd: project,
      encoding: "utf8",
    });
    assert.deepEqual([status, stdout], [1, ""]);
    const install = `npm install node-linux-${process.arch}@24`;
    assert.match(stderr, /^Toolbooth needs Node 24 or newer; this is \d+\.\d+\. [^\n]+\n$/);
    assert.ok(stderr.includes(`\`${install}\` installs it for this folder`), stderr);
  });

  /** Starts the service of a folder, in a group of processes of its own. */
  async function start(cwd = project, command = "npx", args = ["toolbooth", "start"]) {
    const child = spawn(command, args, {
      ...{ cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] as const },
    }) as ChildProcess & { pid: number };
    // The server holds these pipes as well, so they close when it has ended.
    const closed = once(child, "close");
    const kill = async () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended.
      }
      await closed;
    };
    t.after(kill);
    let written = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        written += text;
      });
    let base = "";
    await eventually("it listens", async () => {
      if (child.exitCode !== null) throw new Error(written);
      base = /listens on (http:\/\/\S+)\nDocumentation/.exec(written)?.[1] ?? "";
      return base !== "";
    });
    const demoKey = async () => {
      await eventually("it prints the key", async () => /^ {2}tb_\w+$/m.test(written));
      return /^ {2}(tb_\w+)$/m.exec(written)?.[1] as string;
    };
    return { base, kill, demoKey, written: () => written };
  }

  async function call(base: string, key: string, tool: string, body: object, more = {}) {
    const response = await fetch(`${base}/api/v1/${tool}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...more },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return { text, left: response.headers.get("credits-remaining") };
  }

  let key: string;
  const named = { "Idempotency-Key": "order-1" };
  let paid: Awaited<ReturnType<typeof call>>;

  test("npx toolbooth start serves the tools of the user's folder: a charged call survives SIGKILL", async () => {
    const first = await start();
    key = await first.demoKey();
    const send = (base: string, tool: string, body: object) => call(base, key, tool, body);
    const hash = { text: "hello" };
    assert.equal((await send(first.base, "hash", hash)).left, "7", "the first call is free");
    const counted = await send(first.base, "word-count", { text: "a b c" });
    assert.equal(counted.left, "6");
    assert.deepEqual(JSON.parse(counted.text), { ok: true, words: 3 });
    await first.kill();
    assert.ok(existsSync(path.join(project, "data/toolbooth.sqlite")));

    const second = await start();
    const answer = await send(second.base, "hash", hash);
    assert.equal(answer.left, "5");
    assert.match(answer.text, /"hash":"2cf24dba5fb0a30e26e83b2ac5b9e29e/);
    // Each of these needs a file that is found by its path: threads, pages, docs.
    await send(second.base, "markdown-render", { markdown: "x".repeat(500_000) });
    const get = async (to: string, accept = "identity") => {
      const response = await fetch(second.base + to, { headers: { "Accept-Encoding": accept } });
      assert.equal(response.status, 200, to);
      return response.text();
    };
    const page = await get("/sign-in");
    const scripts = [...page.matchAll(/(?:src|href)="\/?(assets\/[^"]+\.js)"/g)].map(
      ([, each]) => `/${each}`,
    );
    assert.ok(scripts.length > 0, page);
    for (const each of scripts) assert.equal(await get(each), await get(each, "br"));
    assert.match(await get("/docs/cli.md"), /npx toolbooth/);
    const signedOut = await fetch(`${second.base}/dashboard/home`);
    assert.equal(signedOut.status, 401, await signedOut.text());

    // What npx runs, without a second npm for each.
    const command = async (...words: string[]) => (await run(program, words)).stdout;
    const created = await command(
      "account",
      "create",
      "ada@example.com",
      "--credits",
      "5",
      "--json",
    );
    assert.equal(JSON.parse(created).balance, 5);
    assert.match(await command("audit"), /reconcile/);
    assert.match(await command("help"), /^Usage: npx toolbooth /);
    paid = await call(second.base, key, "uuid", {}, named);
    await second.kill();
    assert.doesNotMatch(second.written(), /npm run|"level":"error"/);
  });

  test("create-toolbooth has what it writes, and nothing to install", async () => {
    const files = packedCreate.files.map((file) => file.path).sort();
    const written = [
      ...[".dockerignore", ".env.example", "Dockerfile", "README.md", "gitignore"],
      ...["tools/word-count.test.ts", "tools/word-count.ts", "tsconfig.json"],
    ];
    const apps = [
      ...["create.js", ...written.map((name) => `project/${name}`), "start.js"].map(
        (name) => `create/${name}`,
      ),
      "node/right-node.cjs",
    ];
    const rest = ["LICENSE", "README.md", "package.json"];
    assert.deepEqual(files, [...rest, ...apps.map((name) => `dist/apps/${name}`)].sort());
    const { messages, pkg } = await publint({
      pkgDir: path.join(folder, "create-package"),
      pack: false,
    });
    assert.deepEqual(
      messages.map((each) => formatMessage(each, pkg)),
      [],
    );
    assert.equal((pkg as { dependencies?: object }).dependencies, undefined);
  });

  test("npm create toolbooth writes a project whose tests pass, and which prints a call of its own tool that works", async () => {
    const place = path.join(folder, "place");
    const created = path.join(place, "counting-api");
    mkdirSync(place);
    const { stdout } = await npm(place, "create", "toolbooth", "counting-api", "--yes");
    assert.match(stdout, /\n {2}cd counting-api\n {2}npm install\n {2}npm start\n/);
    assert.deepEqual(readdirSync(place), ["counting-api"]);
    const program = path.join(folder, "create-package/dist/apps/create/start.js");
    const again = spawnSync(process.execPath, [program, "counting-api"], {
      cwd: place,
      encoding: "utf8",
    });
    assert.deepEqual([again.status, again.stdout], [1, ""]);
    assert.match(again.stderr, /^The folder counting-api is not empty\. [^\n]+\n$/);
    await npm(created, "install");
    assert.match((await npm(created, "test")).stdout, /^ℹ pass 1$/m);
    assert.match(
      (await npm(created, "run", "check")).stdout,
      /^word-count: a call with .+ succeeds\./m,
    );
    await run("npx", ["--no-install", "tsc"], created);
    const wrong = path.join(created, "tools/_wrong.ts");
    writeFileSync(wrong, 'export const words: number = "three";\n');
    await assert.rejects(npm(created, "run", "check"), ({ stdout }: { stdout: string }) =>
      /^tools\/_wrong\.ts\(1,14\): error TS2322/m.test(stdout),
    );
    rmSync(wrong);

    writeFileSync(path.join(created, ".env"), "PORT=0\n");
    const service = await start(created, "npm", ["start"]);
    const key = await service.demoKey();
    await eventually("it prints a call", async () => /^ {2}curl .+\n/m.test(service.written()));
    const [call = ""] = /curl .+/.exec(service.written()) ?? [];
    assert.ok(call.includes(`${service.base}/api/v1/word-count `) && call.includes(key), call);
    const answer = await run("sh", ["-c", `${call} -w ' %{http_code}'`], created);
    assert.match(answer.stdout, /^\{"ok":true,"words":2\}\s* 200$/);
    await service.kill();
  });

  test("npm update is the whole upgrade: the next version goes on with the data, and so does this one afterwards", async () => {
    const next = { ...manifestIn(built), version: ours.version.replace(/\d+$/, "999") };
    writeFileSync(path.join(built, "package.json"), JSON.stringify(next));
    const [packedNext] = (await pack(built)) as [Packed];
    versions.push(path.join(folder, packedNext.filename));
    let left = Number(paid.left);
    for (const [command, version] of [
      [["update", "toolbooth"], next.version],
      [["install", `toolbooth@${ours.version}`], ours.version],
    ] as const) {
      await npm(project, ...command);
      assert.equal(manifestIn(installed).version, version);
      const { base, kill } = await start(project, program, ["start"]);
      assert.deepEqual(await call(base, key, "uuid", {}, named), { ...paid, left: `${left}` });
      const counted = await call(base, key, "word-count", { text: "a b c" });
      left -= 1;
      assert.equal(counted.left, `${left}`);
      await kill();
    }
  });

  test("npx toolbooth build cloudflare bundles the user's tools with the Workers: a charged call in workerd", async () => {
    mkdirSync(path.join(project, "tools"), { recursive: true });
    writeFileSync(path.join(project, "tools/word-count.ts"), WORD_COUNT);
    await assert.rejects(
      run(program, ["build", "cloudflare"]),
      /needs toolbooth-cloudflare \d\S+, which is not installed: run `npm install --save-dev toolbooth-cloudflare@\d\S+ wrangler`\.\n/,
    );
    assert.ok(packedCloudflare.size <= CLOUDFLARE_BYTES_MAX, `${packedCloudflare.size} bytes`);
    await run("npm", [
      ...["install", "--save-dev", "toolbooth-cloudflare", "--registry", registry.url],
    ]);
    const { stdout } = await run("npx", ["toolbooth", "build", "cloudflare"]);
    assert.match(stdout, /^Wrote two Workers with word-count, .+ to dist\/edge\.\nWrote wrangler/);
    assert.match(
      readFileSync(path.join(project, "wrangler.site.jsonc"), "utf8"),
      /"command": "npx toolbooth build cloudflare"/,
    );
    const token = "the-operator-of-a-service-in-a-test";
    const edge = await openEdgeSite(t, {
      ...{ project, texts: { TOOLBOOTH_OPERATOR_TOKEN: token } },
    });
    const send = async (to: string, bearer: string, body?: object) => {
      const response = await fetch(edge.base + to, {
        headers: { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
      const json = await response.json();
      assert.equal(response.status, 200, JSON.stringify(json));
      // biome-ignore lint/suspicious/noExplicitAny: what a response holds is what its test asserts.
      return json as any;
    };
    const email = "ada@example.com";
    await send("/operator/account/create", token, { email, credits: 5 });
    const { result } = await send("/operator/key/create", token, { email, label: "key" });
    await send("/api/v1/uuid", result.key, {});
    const counted = await send("/api/v1/word-count", result.key, { text: "a b c" });
    assert.deepEqual(counted, { ok: true, words: 3 });
    assert.equal((await send("/api/v1/account", result.key)).balance, 4, "the first call is free");
    const page = await (await fetch(`${edge.base}/docs/tool-word-count`)).text();
    const [, style = assert.fail(page)] = /href="(\/assets\/[^"]+)"/.exec(page) ?? [];
    assert.equal((await fetch(edge.base + style)).status, 200);

    const wrangler = path.join(ROOT, "node_modules/wrangler/bin/wrangler.js");
    // Both have the same command for the build, which one of them runs.
    const site = path.join(project, "wrangler.site.jsonc");
    writeFileSync(site, readFileSync(site, "utf8").replace(/^ {2}"build": .+\n/m, ""));
    for (const config of ["wrangler.jsonc", "wrangler.site.jsonc"]) {
      const uploaded = path.join(folder, config);
      await promisify(execFile)(
        process.execPath,
        [wrangler, "deploy", "--dry-run", "-c", config, "--outdir", uploaded],
        {
          cwd: project,
          env: { ...env, CI: "true", WRANGLER_HIDE_BANNER: "true", ...NO_NETWORK },
          timeout: HANGS_MS,
        },
      );
      const names = readdirSync(uploaded);
      assert.ok(names.includes("worker.js") && names.includes("own-word-count.js"), `${names}`);
    }
  });

  test("what the bundles say names the commands of the package", () => {
    const workers = path.join(project, "node_modules/toolbooth-cloudflare/dist");
    for (const bundles of [path.join(installed, "dist/server/packed"), workers]) {
      for (const name of readdirSync(bundles))
        assert.ok(!readFileSync(path.join(bundles, name), "utf8").includes("npm run -s"), name);
    }
  });
});
