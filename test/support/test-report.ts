import path from "node:path";
import type { TestsStream } from "node:test";

const SLOWEST_SHOWN = 10;

/** Ends the name of the unit of a folder's files that start processes, servers or browsers. */
export const SERVERS_SUFFIX = " (servers)";

/** A test file by its path below the repository; a module that imports the files of a folder by the folder's. */
export const unitName = (file: string, root: string): string =>
  file.endsWith(".mjs")
    ? path.basename(file, ".mjs").replaceAll("+", "/")
    : path.relative(root, file);

/** What a test threw, and what caused that: a property fails because of the comparison in it. Node's own error is around them. */
function causesOf(error: Error): Error[] {
  const causes: Error[] = [];
  let cause: unknown = error.cause instanceof Error ? error.cause : error;
  for (; cause instanceof Error; cause = cause.cause) causes.push(cause);
  return causes;
}

/** Writes a line for each file, its failures in full, its skipped tests with their reasons and what it says of itself. */
export function reportTests(stream: TestsStream, root: string) {
  const durations: Record<string, number> = {};
  /** By test file, of its tests outside of others. */
  const ofFiles: Record<string, number> = {};
  const remarks = new Map<string, string[]>();
  const failed: Failure[] = [];
  const skipped: string[] = [];
  const todos: string[] = [];
  const coverage: string[] = [];
  let passed = 0;
  /** The test that is reported and the suites around it. The events of a unit come in the order of its tests, and its summary last. */
  const around: string[] = [];
  const began = performance.now();
  const write = (text: string): void => void process.stdout.write(text);
  const nameOf = (file = root) => unitName(file, root);
  const remark = (file: string | undefined, text: string): void => {
    const name = nameOf(file);
    remarks.set(name, [...(remarks.get(name) ?? []), ...text.trimEnd().split("\n")]);
  };

  const endUnit = (file: string): void => {
    for (const each of failed) each.unit ??= file;
  };
  const count = (name: string, file: string | undefined, nesting: number, ms: number): void => {
    if (nesting > 0 || isFile(name, file, nesting)) return;
    ofFiles[nameOf(file)] = (ofFiles[nameOf(file)] ?? 0) + ms;
  };

  stream.on("test:start", ({ name, nesting }) => void around.splice(nesting, Infinity, name));
  stream.on("test:pass", ({ name, file, skip, details, nesting }) => {
    count(name, file, nesting, details.duration_ms);
    // A file stands for itself as a test; a suite is no test.
    if (details.type === "suite" || isFile(name, file, nesting)) return;
    if (skip === undefined) passed += 1;
    else skipped.push(`${nameOf(file)}: ${name}${skip === true ? "" : `: ${skip}`}`);
  });
  stream.on("test:fail", ({ name, file, line, details, todo, nesting }) => {
    count(name, file, nesting, details.duration_ms);
    if (todo !== undefined) {
      todos.push(`${nameOf(file)}: ${name}${todo === true ? "" : `: ${todo}`}`);
      return;
    }
    const { error } = details;
    // It fails because of its tests, which are told already. A test within a test runs only with that.
    if ((error as Error & { failureType?: string }).failureType === "subtestsFailed") {
      if (details.type !== "suite")
        for (const each of failed)
          if (each.file === file && each.nesting === nesting + 1)
            Object.assign(each, { title: name, nesting });
      return;
    }
    const told = causesOf(error).map((cause) => cause.stack ?? cause.message);
    const names = [...around.slice(0, nesting), name].join(" › ");
    const text = `✖ ${nameOf(file)}:${line} ${names}\n  ${told.join("\nCaused by: ").replaceAll("\n", "\n  ")}\n`;
    failed.push({ text, file, unit: undefined, title: name, nesting });
    // A process that ended has no summary.
    if (file?.endsWith(".mjs")) endUnit(file);
    write(text);
  });
  stream.on("test:stdout", ({ file, message }) => remark(file, message));
  stream.on("test:stderr", ({ file, message }) => remark(file, message));
  stream.on("test:diagnostic", ({ file, message, nesting }) => {
    if (
      nesting > 0 ||
      !/^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(message)
    )
      remark(file, message);
  });
  stream.on("test:summary", ({ file, duration_ms, success }) => {
    if (file === undefined) return;
    endUnit(file);
    const name = nameOf(file);
    durations[name] = Math.round(duration_ms);
    write(`${success ? "✔" : "✖"} ${name} (${(duration_ms / 1_000).toFixed(1)} s)\n`);
    for (const text of remarks.get(name) ?? []) write(`    ${text}\n`);
    remarks.delete(name);
  });
  stream.on("test:coverage", ({ summary }) => coverage.push(...coverageTable(summary.files, root)));

  return {
    durations,
    get failures() {
      return failed.length;
    },
    /** How many tests passed, failed or were skipped. */
    get ran() {
      return passed + failed.length + skipped.length + todos.length;
    },
    finish(): void {
      // What suites say that other files import.
      for (const [name, texts] of remarks) write(`${[name, ...texts].join("\n    ")}\n`);
      for (const [what, times] of Object.entries({ folders: durations, files: ofFiles })) {
        const slowest = Object.entries(times).sort(([, one], [, other]) => other - one);
        write(`\nThe slowest ${what}:\n`);
        for (const [name, ms] of slowest.slice(0, SLOWEST_SHOWN))
          write(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${name}\n`);
      }
      if (skipped.length > 0) write(`\nSkipped:\n${skipped.map((text) => `  ${text}\n`).join("")}`);
      if (todos.length > 0)
        write(`\nFails, and is to be done:\n${todos.map((text) => `  ${text}\n`).join("")}`);
      if (coverage.length > 0) write(`\n${coverage.join("\n")}\n`);
      if (failed.length > 0) write("\nFailed:\n");
      for (const { text, file, unit, title } of failed)
        write(`${text}  Repeat it: ${commandFor(nameOf(file), nameOf(unit), title)}\n`);
      const seconds = ((performance.now() - began) / 1_000).toFixed(0);
      write(`\nIn ${seconds} s:\n`);
      // Alone on its line, so that a CI can read it.
      write(`${passed} passed, ${failed.length} failed, ${skipped.length} skipped\n`);
    },
  };
}

const isFile = (name: string, file: string | undefined, nesting: number): boolean =>
  nesting === 0 && file !== undefined && path.resolve(name) === file;

/** `file`: where the test is written; `unit`: what ran it; `title`: of the outermost test, if the one that failed is within others. */
type Failure = {
  text: string;
  file: string | undefined;
  unit: string | undefined;
  title: string;
  nesting: number;
};

/**
 * Runs one test again, with the same random inputs. A suite that others import is repeated where it failed. What could not be loaded is a
 * test of a unit, with the file as its title; a process that ended is one with the unit's module.
 */
function commandFor(file: string, unit: string, title: string): string {
  const folder = `${unit.replace(SERVERS_SUFFIX, "")}/`;
  const what = file.endsWith(".ts")
    ? `${file.endsWith(".test.ts") ? file : folder} --only ${quoted(title)}`
    : title.endsWith(".mjs")
      ? folder
      : title;
  return `${inputsOf(process.env)} npm run test:all -- ${what}`;
}

/** The seed and the sizes of random inputs, as a shell sets them. What the runner starts for itself is not among them. */
export const inputsOf = (environment: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(environment)
    .filter(([name]) => name.startsWith("TEST_") && name !== "TEST_SHARED_POSTGRES")
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

type FileCoverage = {
  path: string;
  totalLineCount: number;
  coveredLineCount: number;
  totalBranchCount: number;
  coveredBranchCount: number;
};

/** Lines and branches for each folder of `src/`. */
function coverageTable(files: readonly FileCoverage[], root: string): string[] {
  const percent = (covered: number, total: number) =>
    (total === 0 ? "" : `${((100 * covered) / total).toFixed(1)} %`).padStart(9);
  const sum = (of: readonly FileCoverage[], name: Exclude<keyof FileCoverage, "path">) =>
    of.reduce((total, file) => total + file[name], 0);
  const row = (label: string, of: readonly FileCoverage[]) =>
    label.padEnd(24) +
    String(of.length).padStart(6) +
    percent(sum(of, "coveredLineCount"), sum(of, "totalLineCount")) +
    percent(sum(of, "coveredBranchCount"), sum(of, "totalBranchCount"));
  const folderOf = (file: FileCoverage) =>
    path.relative(root, file.path).split(path.sep).slice(0, 2).join("/");
  const folders = [...Map.groupBy(files, folderOf)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return [
    `${"coverage".padEnd(24)} files    lines branches`,
    ...folders.map(([folder, of]) => row(folder, of)),
    row("all that was loaded", files),
  ];
}
