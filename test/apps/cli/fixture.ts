/**
 * Runs the command line, and the real server as a process, on data folders that are removed after the tests. Processes run what
 * `npm run build` made of these sources, if anything, because they start in half of the time.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { runCommandLine } from "#apps/cli/program.ts";
import { bareEnvironment } from "../../support/bare-environment.ts";

const ENTRY = path.join(import.meta.dirname, "../../../src/apps/start.js");

/** Creates a folder that is removed after the test or the file that calls this. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-cli-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

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

/** Starts a server on a free port. */
export async function startServer(dataDir: string, env: Env = {}) {
  const silent = { PORT: "0", TOOLBOOTH_LOG_LEVEL: "silent" };
  const child = start(["start"], { DATA_DIR: dataDir, ...silent, ...env });
  const exited = once(child, "exit");
  let output = "";
  const url = await new Promise<string | undefined>((resolve) => {
    // Keep reading: a server whose standard output is closed fails at the next line.
    child.stdout?.on("data", (chunk) => {
      output += String(chunk);
      const found = /listens on (\S+)\n/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.stderr?.resume();
    child.on("exit", () => resolve(undefined));
  });
  assert.ok(url, "the server started");
  return {
    url,
    async call(key: string, callId?: string) {
      const response = await fetch(`${url}/api/v1/hash`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${key}`,
          ...(callId === undefined ? {} : { "Idempotency-Key": callId }),
        },
        body: '{"text":"hello"}',
      });
      await response.arrayBuffer();
      return { status: response.status, remaining: response.headers.get("Credits-Remaining") };
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
