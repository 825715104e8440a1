import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describeApi } from "#api/openapi/openapi.ts";
import { toYaml } from "#site/yaml.ts";
import { TOOLS } from "#tools/registry.ts";

const folder = mkdtempSync(join(tmpdir(), "toolbooth-yaml-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const OPTIONS = {
  publicUrl: "https://tools.test",
  rateLimit: 100,
  freeCallCredits: 1,
  tools: TOOLS,
  version: "1.2.3",
};

/** Reads YAML with a parser that is not ours: that of the OpenAPI linter, which reads nothing but OpenAPI documents. */
function parse(yaml: string): unknown {
  const manifest = fileURLToPath(import.meta.resolve("@redocly/cli/package.json"));
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: { redocly: string } };
  const [input, output] = [join(folder, "openapi.yaml"), join(folder, "openapi.json")];
  writeFileSync(input, yaml);
  const run = spawnSync(
    process.execPath,
    [join(dirname(manifest), bin.redocly), "bundle", input, "--ext", "json", "--output", output],
    {
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        CI: "true",
        NO_COLOR: "1",
        REDOCLY_TELEMETRY: "off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
      },
    },
  );
  assert.equal(run.status, 0, run.stdout + run.stderr);
  return JSON.parse(readFileSync(output, "utf8"));
}

test("the description as YAML says what it says as JSON", () => {
  const document = JSON.parse(JSON.stringify(describeApi(OPTIONS))) as unknown;
  const yaml = toYaml(document);
  assert.match(yaml, /^openapi: "3\.1\.0"\ninfo:\n {2}title: Toolbooth\n/);
  assert.match(yaml, /\n {2}description: \|-\n {4}Send a JSON body/);
  assert.doesNotMatch(yaml, / $/m, "no line ends with a space");
  assert.deepEqual(parse(yaml), document);
});

const TEXTS = [
  "",
  " ",
  "a",
  " a",
  "a ",
  "a b",
  "a: b",
  "a:",
  "a #b",
  "#a",
  "- a",
  "-",
  "a - b",
  "? a",
  "&a",
  "*a",
  "!a",
  "|",
  ">",
  "%a",
  "@a",
  "`a`",
  "{a}",
  "[a]",
  "a, b",
  "'a'",
  '"a"',
  "a\\b",
  "~",
  "null",
  "Null",
  "true",
  "no",
  "Off",
  "y",
  "N",
  "1",
  "-1",
  "1.5",
  "1e3",
  ".5",
  ".inf",
  "0x1f",
  "0o17",
  "1_000",
  "12:30",
  "2026-11-22",
  "=",
  "<<",
  "---",
  "...",
  "a\nb",
  "a\n\nb",
  "a\n b",
  "a\n\tb",
  "a \nb",
  "a\nb\n",
  "\na",
  " a\nb",
  "a\n---\nb",
  "a\n...\nb",
  "a\n# b",
  "a\r\nb",
  "a\rb",
  "a\tb",
  "\t",
  "a\u0000b",
  "a\u0085b",
  "a\u2028b\nc",
  "\ufeffa",
  "a\ufeff\nb",
  "ü",
  "😀",
  "😀\n😀",
  "$ref-like",
  "/api/v1/{tool}",
  "/api/v1/hash",
  "__proto__x",
];

test("any text comes back as it was, as a value, a key, an item and deep inside", () => {
  const random = fc.sample(
    fc.tuple(fc.string({ unit: "binary", maxLength: 30 }), fc.jsonValue({ maxDepth: 4 })),
    { numRuns: 400, seed: 4711 },
  );
  const data = {
    values: TEXTS,
    keys: Object.fromEntries(TEXTS.filter((text) => text !== "<<").map((text) => [text, text])),
    deep: TEXTS.map((text) => [[text, { a: text, b: [text, [], {}], c: [[text]] }]]),
    numbers: [0, -1, 1.5, 1e21, 1e-7, true, false, null],
    random: random.map(([text, value]) => [text, JSON.stringify(value), text]),
    structures: random.map(([, value]) => value).filter((value) => !holdsProto(value)),
  };
  const info = { title: "a", version: "1", "x-data": JSON.parse(JSON.stringify(data)) as unknown };
  // The bundler adds empty components where there are none.
  const document = { openapi: "3.1.0", info, paths: {}, components: {} };
  assert.deepEqual(parse(toYaml(document)), document);
});

/** No parser keeps this name of a member alike. */
const holdsProto = (value: unknown) => JSON.stringify(value).includes("__proto__");
