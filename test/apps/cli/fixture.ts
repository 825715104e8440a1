/**
 * Runs the command line, and the real server as a process, on data folders that are removed after the tests. Processes run what
 * `npm run build` made of these sources, if anything, because they start in half of the time.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, type TestContext } from "node:test";
import { runCommandLine } from "#apps/cli/program.ts";
import { startServer as startProcess } from "../../http/server-process.ts";
import { bareEnvironment } from "../../support/bare-environment.ts";
import { temporaryFolder as folderUntil } from "../../support/temporary-folder.ts";

export const ENTRY = path.join(import.meta.dirname, "../../../src/apps/start.js");

/** The end of the test or the file that calls. */
const atEnd: Pick<TestContext, "after"> = { after: (close) => after(close as () => unknown) };

/** Creates a folder that is removed after the test or the file that calls this. */
export const temporaryFolder = (): string => folderUntil(atEnd);

export type Ran = { status: number | null; stdout: string; stderr: string };
/** The environment of a command; under `--remote` the service that it works on. */
type Env = Record<string, string>;
type More = { env?: Env; input?: string | Uint8Array };

export function start(args: readonly string[], given: Env): ChildProcess {
  const { words, env } = withRemote(args, given);
  return spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ENTRY, ...words], {
    // Not in the checkout, whose `.env` would be read.
    ...{ cwd: tmpdir(), env: { ...bareEnvironment(), ...env } },
    stdio: "pipe",
  });
}

export function withRemote(words: readonly string[], { "--remote": url, ...env }: Env) {
  return { words: url === undefined ? words : [...words, "--remote", url], env };
}

/** Runs the command line against the server of a data folder, in the process of the test. `commandProcess` shows what only a process has. */
export function commandLine(dataDir: string, base: Env = {}) {
  return linesOver(async (args, { env: given = {}, input } = {}) => {
    assert.equal(input, undefined, "only a process has its own standard input");
    const [stdout, stderr]: [string[], string[]] = [[], []];
    const { words, env } = withRemote(args, { DATA_DIR: dataDir, ...base, ...given });
    const status = await runCommandLine(words, env, {
      stdout: (text) => void stdout.push(text),
      stderr: (text) => void stderr.push(text),
    });
    return { status, stdout: stdout.join(""), stderr: stderr.join("") };
  });
}

/** Runs the command line against the server of a data folder, each time in a process of its own: with standard input and output, and signals. */
export function commandProcess(dataDir: string, base: Env = {}) {
  return linesOver(async (args, { env = {}, input = "" } = {}) => {
    const child = start(args, { DATA_DIR: dataDir, ...base, ...env });
    child.stdin?.on("error", () => {}).end(input);
    const texts = [child.stdout, child.stderr].map((stream) => stream?.toArray());
    const [status] = (await once(child, "exit")) as [number | null];
    const [stdout, stderr] = (await Promise.all(texts)).map((chunks) =>
      Buffer.concat(chunks ?? []).toString(),
    );
    return { status, stdout: stdout ?? "", stderr: stderr ?? "" };
  });
}

function linesOver(run: (args: readonly string[], more?: More) => Promise<Ran>) {
  /** Checks that --json prints exactly one line with one object, and returns the object. */
  async function runJson(args: readonly string[], status: number, more?: More): Promise<Json> {
    const ran = await run([...args, "--json"], more);
    assert.equal(ran.status, status, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
    assert.match(ran.stdout, /^\{[^\n]*\}\n$/, `${args.join(" ")} prints one object on one line`);
    return JSON.parse(ran.stdout);
  }

  const words = (line: string) => line.split(" ");
  return {
    run: (line: string, more?: More) => run(words(line), more),
    json: (line: string, more?: More) => runJson(words(line), 0, more),
    /** Expects exit code 1 and returns the error message. */
    async refused(line: string, more?: More): Promise<string> {
      return sentence(await runJson(words(line), 1, more));
    },
    async wrong(line: string, more?: More): Promise<string> {
      return sentence(await runJson(words(line), 2, more));
    },
    /** Expects exit code 1 with a result, and returns the result. */
    failed: (line: string) => runJson(words(line), 1),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on what they read.
export type Json = any;

function sentence(problem: Json): string {
  assert.deepEqual(Object.keys(problem), ["ok", "error"]);
  assert.equal(problem.ok, false);
  assert.match(problem.error, /[.?]$/, "an error message is a sentence");
  return problem.error;
}

/** Starts a server on a free port, which ends with `t`: if it is not given, with the test or the file that calls this. */
export async function startServer(
  dataDir: string,
  env: Env = {},
  t: Pick<TestContext, "after"> = atEnd,
) {
  const given = { DATA_DIR: dataDir, TOOLBOOTH_LOG_LEVEL: "silent", ...env };
  const { base, end } = await startProcess(t, given);
  return {
    url: base,
    async call(key: string) {
      const response = await fetch(`${base}/api/v1/hash`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}` },
        body: '{"text":"hello"}',
      });
      await response.arrayBuffer();
      return { status: response.status, remaining: response.headers.get("Credits-Remaining") };
    },
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}
