import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { SCENARIOS } from "./chaos-scenarios.ts";

/** Facts that several files of the repository state: they must agree. */
const ROOT = path.join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");
const manifest = JSON.parse(read("package.json")) as {
  version: string;
  scripts: Record<string, string>;
  engines: { node: string };
  optionalDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
};

test(".nvmrc and both packages of Node name one version", () => {
  const versions = [read(".nvmrc").trim(), ...Object.values(manifest.optionalDependencies)];
  assert.equal(new Set(versions).size, 1, versions.join(", "));
  const [major] = versions[0]?.split(".") ?? [];
  assert.equal(manifest.engines.node, `>=${major}`);
});

test("the lockfile and the changelog know the version of package.json", () => {
  const lock = JSON.parse(read("package-lock.json")) as { version: string };
  assert.equal(lock.version, manifest.version);
  const headings = [...read("CHANGELOG.md").matchAll(/^## (.+)$/gm)].map(([, text = ""]) => text);
  const pattern = /^(?:Unreleased|\d+\.\d+\.\d+ \((?:not released yet|\d{4}-\d\d-\d\d)\))$/;
  for (const heading of headings) assert.match(heading, pattern);
  assert.ok(
    headings.some((heading) => heading.startsWith(`${manifest.version} (`)),
    `CHANGELOG.md has no section ${manifest.version}`,
  );
});

test("package.json decides about every install script of the lockfile, also of other systems, and about no others", () => {
  // npm runs the scripts that `allowScripts` does not list, and only warns.
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const withScript = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place]) => place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length));
  assert.deepEqual(Object.keys(manifest.allowScripts).sort(), [...new Set(withScript)].sort());
  assert.deepEqual([...new Set(Object.values(manifest.allowScripts))], [false]);
});

test("what only the benchmarks use is not installed in production", () => {
  // Under its own name, Express would be an optional peer of a dependency, which npm installs in production too.
  const lock = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { dev?: boolean; name?: string }>;
  };
  for (const name of ["express-5", "autocannon", "better-sqlite3"])
    assert.equal(lock.packages[`node_modules/${name}`]?.dev, true, name);
  assert.equal(lock.packages["node_modules/express"], undefined);
});

test("every npm script that the contributors' guide and the CI name exists", () => {
  for (const file of ["CONTRIBUTING.md", ".github/workflows/ci.yml"]) {
    for (const [, script = ""] of read(file).matchAll(/npm run (?:-s |--silent )?([\w:-]+)/g))
      assert.ok(script in manifest.scripts, `${file}: npm run ${script}`);
  }
});

test("every test that docs/security.md names exists", () => {
  const cells = [...read("docs/security.md").matchAll(/^\|.*\| ([^|]*`) \|$/gm)];
  const names = cells
    .flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)])
    .map(([, name = ""]) => name);
  assert.ok(names.length > 30);
  for (const name of names.flatMap(expandBraces)) {
    const found = [".test.ts", ".ts", ""].some((end) =>
      existsSync(path.join(ROOT, "test", name + end)),
    );
    assert.ok(found, `test/${name} does not exist`);
  }
});

/** `a/{b,c}` names two paths. */
const expandBraces = (name: string): string[] => {
  const [, before = "", inner = "", after = ""] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return inner === "" ? [name] : inner.split(",").map((each) => `${before}${each}${after}`);
};

test("every file of chaos is a scenario, and every scenario has its file", () => {
  const files = new Set(SCENARIOS.map(({ file }) => file));
  for (const file of files) assert.ok(existsSync(path.join(ROOT, file)), file);
  const chaos = readdirSync(path.join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".chaos.ts"))
    .map((name) => `test/${name}`);
  assert.deepEqual(
    chaos.filter((file) => !files.has(file)),
    [],
  );
});

test("random tests take their seed from TEST_SEED, which a failure prints", () => {
  const files = readdirSync(path.join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && name !== path.join("support", "properties.ts"))
    .map((name) => `test/${name}`);
  const drawing = files.filter((file) => /from "fast[-]check";|Math[.]random/.test(read(file)));
  assert.deepEqual(drawing, []);
});
