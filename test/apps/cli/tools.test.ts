import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { eventually } from "../../http/test-api.ts";
import { bareEnvironment } from "../../support/bare-environment.ts";
import { importOf, tool, toolProject, WORD_COUNT } from "../node/tool-project.ts";

/** The commands for whoever writes tools, in a folder of their own. */

const CHECKOUT = path.join(import.meta.dirname, "../../..");
const { bin } = JSON.parse(readFileSync(path.join(CHECKOUT, "package.json"), "utf8"));

function toolbooth(folder: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(CHECKOUT, bin.toolbooth), ...words],
    { cwd: folder, env: bareEnvironment(), encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

const withExample = (response: string) =>
  WORD_COUNT.replace(
    "  price: 1,",
    `  price: 1,\n  examples: [{ name: "two", request: { text: "a b" }, response: ${response} }],`,
  );

test("new tool writes a tool and its test, which pass, and changes no file that exists", (t) => {
  const folder = toolProject(t, {});
  const made = toolbooth(folder, "new", "tool", "word-count");
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /^Wrote tools\/word-count\.ts and tools\/word-count\.test\.ts\./);
  assert.match(made.stdout, /\nA running server serves the tool after a restart; `npm run /);
  assert.deepEqual(toolbooth(folder, "check"), {
    ...{ status: 0, stdout: "word-count: the example passes.\n", stderr: "" },
  });
  const ran = spawnSync(process.execPath, ["--test", "tools/word-count.test.ts"], {
    cwd: folder,
    env: bareEnvironment(),
    encoding: "utf8",
  });
  assert.equal(ran.status, 0, ran.stdout);

  const again = toolbooth(folder, "new", "tool", "word-count");
  assert.deepEqual([again.status, /^tools\/word-count\.ts exists\./.test(again.stderr)], [1, true]);
  const wrong = toolbooth(folder, "new", "tool", "Word_Count");
  assert.deepEqual([wrong.status, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /must have lowercase letters/);
  assert.ok(!existsSync(path.join(folder, "tools/Word_Count.ts")));
});

/** A tool that passes a body on, with an example of it unless the response is null. */
const passing = (type: string, body: string, response: unknown) =>
  tool(`effect: "read", passThrough: true,
  ${response === null ? "" : `examples: [{ name: "one", request: {}, response: ${JSON.stringify(response)} }],`}
  run: () => new Response(${JSON.stringify(body)}, { headers: { "Content-Type": "${type}" } })`);

/** A tool that rejects every input. */
const rejecting = (file: string) =>
  file
    .replace("defineTool,", "defineTool, InvalidInput,")
    .replace(/run: .*/, 'run() { throw new InvalidInput("It has no words.", "text"); },');

test("a tool that takes a file is not called by check, and not built for Cloudflare, as one with bodies too large for a Worker", (t) => {
  const taking = tool('file: { types: ["image/png"] }, run: () => ({})');
  const folder = toolProject(t, { "tools/scan.ts": taking });
  assert.deepEqual(toolbooth(folder, "check"), {
    ...{ status: 0, stderr: "" },
    stdout: "scan: it is not called, because it takes a file: call `run` with one in its test.\n",
  });
  const large = tool("bodyBytesMax: 13_000_000, run: () => ({})");
  writeFileSync(path.join(folder, "tools/large.ts"), large);
  const built = toolbooth(folder, "build", "cloudflare");
  assert.notEqual(built.status, 0);
  assert.match(
    built.stderr,
    /tools\/large\.ts: the tool large has a `bodyBytesMax` of 13000000, and Workers have memory for bodies of at most 12582912 bytes\./,
  );
  assert.match(
    built.stderr,
    /tools\/scan\.ts: the tool scan takes a file, and Workers have no disk to store it on\. Offer it on Node\./,
  );
});

test("check runs the examples of each tool, also of what a tool passes on, and makes a call where there are none", (t) => {
  const folder = toolProject(t, {
    "tools/good.ts": withExample("{ words: 2 }"),
    "tools/nothing.ts": tool("run: () => ({})"),
    // JSON without `ok`, a text, and other bytes in base64.
    "tools/pass-file.ts": passing("application/pdf", "%PDF", "JVBERg=="),
    "tools/pass-json.ts": passing("application/problem+json", "[1.0]", [1]),
    "tools/pass-text.ts": passing("text/html; charset=utf-8", "<b>", "<b>"),
    "tools/pass-without.ts": passing("application/pdf", "%PDF", null),
    "tools/records.ts": tool("run: ({ of }) => ({ of })").replace(
      "input: {}",
      'input: { of: z.record(z.enum(["a", "b"]), z.array(z.int()).min(1)) }',
    ),
    // No request that follows from a schema fits a rule that the schema does not state.
    "tools/strict.ts": WORD_COUNT.replace(
      "z.string()",
      'z.string().refine((text) => text === "x")',
    ),
    "tools/stock.ts": rejecting(WORD_COUNT),
    "tools/without.ts": WORD_COUNT,
  });
  const good = toolbooth(folder, "check");
  assert.equal(good.status, 0, good.stdout + good.stderr);
  const advice =
    "It has no examples: add one, so that its response is compared here and shown in the documentation.";
  assert.deepEqual(good.stdout.trim().split("\n"), [
    "good: the example passes.",
    `nothing: a call without a body succeeds. ${advice}`,
    ...["pass-file", "pass-json", "pass-text"].map((name) => `${name}: the example passes.`),
    `pass-without: a call without a body succeeds. ${advice}`,
    `records: a call with {"of":{"a":[1],"b":[1]}} succeeds. ${advice}`,
    'stock: it rejects a call with {"text":"hello world"}, which was generated from the schema. Add an example, so that it is run here and shown in the documentation.',
    'strict: it rejects a call with {"text":"hello world"}, which was generated from the schema. Add an example, so that it is run here and shown in the documentation.',
    `without: a call with {"text":"hello world"} succeeds. ${advice}`,
  ]);
});

test("check names each file and example that is wrong, and tells a fault of a tool with its file, line and reason", (t) => {
  const folder = toolProject(t, {
    "tools/crash.ts": withExample("{ words: 2 }").replace(
      /run: .*/,
      'run() { throw new Error("no luck"); },',
    ),
    "tools/exits.ts": tool("run: () => process.exit(3)"),
    "tools/good.ts": withExample("{ words: 2 }"),
    "tools/off.ts": withExample("{ words: 3 }"),
    "tools/pass-json.ts": passing("application/json", "%", {}),
    "tools/rejects.ts": rejecting(withExample("{ words: 2 }")),
    "tools/shape.ts": tool("run: () => 7 as never"),
    "tools/slow.ts": tool("timeLimitMs: 50, run: () => new Promise<object>(() => {})"),
    "tools/throws.ts": WORD_COUNT.replace(
      /run: .*/,
      'run() {\n    throw new RangeError("no luck");\n  },',
    ),
  });
  const wrong = toolbooth(folder, "check", "--json");
  assert.equal(wrong.status, 1);
  assert.deepEqual(JSON.parse(wrong.stdout), {
    ok: false,
    tools: ["crash", "exits", "good", "off", "pass-json", "rejects", "shape", "slow", "throws"],
    faults: [
      'tools/crash, the example "two": it fails: Error: no luck',
      "tools/exits.ts: a call without a body fails: It ended its thread with exit code 3",
      'tools/off, the example "two": the response is {"ok":true,"words":2}, not {"ok":true,"words":3}',
      'tools/pass-json, the example "one": the response is "%", not {}',
      'tools/rejects, the example "two": the tool rejects the request: It has no words.',
      "tools/shape.ts: a call without a body fails: TypeError: run returned what `output` forbids: the whole: must be a JSON object",
      "tools/slow.ts: a call without a body fails: It ran for more than 50 ms",
      'tools/throws.ts:9: a call with {"text":"hello world"} fails: RangeError: no luck',
    ],
  });

  writeFileSync(path.join(folder, "tools/broken.ts"), WORD_COUNT.replace("run:", "rum:"));
  const broken = toolbooth(folder, "check");
  assert.equal(broken.status, 1);
  assert.match(broken.stdout, /^tools\/broken\.ts:3: `rum` is not a member of a tool/m);
});

test("in a project of npm init, tools work, and new tool says what their tests need", (t) => {
  const folder = toolProject(t, { "package.json": '{ "type": "commonjs" }' });
  const made = toolbooth(folder, "new", "tool", "word-count");
  assert.equal(made.status, 0, made.stderr);
  assert.match(
    made.stdout,
    /\nThe package\.json has "type": "commonjs", so Node cannot run the test\. Change it with: npm pkg set type=module\n$/,
  );
  assert.deepEqual(toolbooth(folder, "check"), {
    ...{ status: 0, stdout: "word-count: the example passes.\n", stderr: "" },
  });
});

test("check reports the types, where the project has TypeScript", (t) => {
  const folder = toolProject(t, {
    "tools/word-count.ts": withExample("{ words: 2 }").replace("text.split", "text.trim(7).split"),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...{ module: "nodenext", target: "es2024", strict: true, noEmit: true },
        ...{ allowJs: true, allowImportingTsExtensions: true, skipLibCheck: true, types: [] },
      },
      include: ["tools"],
    }),
    "node_modules/toolbooth/index.d.ts": `export declare const z: typeof import("zod").z;
export declare function defineTool(tool: { input: object; run(input: { text: string }): object; [member: string]: unknown }): object;`,
  });
  assert.equal(toolbooth(folder, "check").status, 0, "without TypeScript no types are checked");
  for (const name of ["typescript", "zod", "@typescript"])
    symlinkSync(path.join(CHECKOUT, "node_modules", name), path.join(folder, "node_modules", name));
  const { status, stdout } = toolbooth(folder, "check");
  assert.equal(status, 1);
  assert.match(stdout, /^tools\/word-count\.ts\(\d+,\d+\): error TS2554/m);
});

test("check reports why TypeScript died", (t) => {
  const folder = toolProject(t, {
    "tools/word-count.ts": withExample("{ words: 2 }"),
    "tsconfig.json": "{}",
    "node_modules/typescript/package.json": '{ "bin": { "tsc": "tsc.cjs" } }',
    "node_modules/typescript/tsc.cjs": 'console.error("out of memory"); process.exit(7);',
  });
  assert.deepEqual(toolbooth(folder, "check"), {
    ...{ status: 1, stdout: "word-count: the example passes.\nout of memory\n", stderr: "" },
  });
});

test("dev serves a tool as it is saved, and the last good version while a file is wrong", async (t) => {
  const folder = toolProject(t, { "tools/word-count.ts": WORD_COUNT });
  const file = path.join(folder, "tools/word-count.ts");
  const child = spawn(process.execPath, [path.join(CHECKOUT, bin.toolbooth), "dev"], {
    cwd: folder,
    env: { ...bareEnvironment(), PORT: "0", DATA_DIR: "data", TOOLBOOTH_LOG_LEVEL: "warn" },
  });
  t.after(() => child.kill("SIGKILL"));
  let written = "";
  child.stdout.on("data", (text) => {
    written += text;
  });
  const find = async (pattern: RegExp) => {
    await eventually(`it prints ${pattern}`, async () => pattern.test(written));
    return pattern.exec(written)?.[1] ?? "";
  };
  const base = await find(/listens on (\S+)/);
  const key = await find(/^ {2}(tb_\w+)$/m);
  const words = async () => {
    const response = await fetch(`${base}/api/v1/word-count`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}` },
      body: '{"text":"a b"}',
    });
    return ((await response.json()) as { words?: number }).words;
  };
  const becomes = (count: number) =>
    eventually(`it counts ${count}`, async () => (await words()) === count);
  assert.equal(await words(), 2);

  writeFileSync(file, WORD_COUNT.replace("length }", "length * 10 }"));
  await becomes(20);
  writeFileSync(file, WORD_COUNT.replace("run:", "rum:"));
  await find(/^tools\/word-count\.ts:3: (`rum`) is not a member/m);
  await find(/^The tools are served (as) they were before\.$/m);
  assert.equal(await words(), 20);

  mkdirSync(path.join(folder, "lib"));
  writeFileSync(path.join(folder, "lib/factor.ts"), "export const factor = 3;");
  const importing = `${importOf("{ factor }", "../lib/factor.ts")};\n${WORD_COUNT}`;
  writeFileSync(file, importing.replace("length }", "length * factor }"));
  await becomes(6);
  writeFileSync(path.join(folder, "lib/factor.ts"), "export const factor = 4;");
  await becomes(8);

  // What is wrong may be in a folder that no tool has imported from before.
  mkdirSync(path.join(folder, "new"));
  writeFileSync(path.join(folder, "new/factor.ts"), "export const factor = ;");
  written = "";
  writeFileSync(
    file,
    `${importing.replace("lib", "new")}`.replace("length }", "length * factor }"),
  );
  await find(/^The tools are served (as) they were before\.$/m);
  writeFileSync(path.join(folder, "new/factor.ts"), "export const factor = 5;");
  await becomes(10);

  // As some editors and Git save.
  for (const count of [6, 7]) {
    rmSync(path.join(folder, "tools"), { recursive: true });
    mkdirSync(path.join(folder, "tools"));
    writeFileSync(file, WORD_COUNT.replace("length }", `length * ${count} }`));
    await becomes(2 * count);
  }
});
