/** The real command line and the real server as processes of their own, over data folders that go after the tests. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "../../support/bare-environment.ts";

export const entry = (file: string) =>
  fileURLToPath(new URL(`../../../src/apps/${file}`, import.meta.url));

/** A folder that is removed when the tests of the file are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-cli-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type Ran = { status: number | null; stdout: string; stderr: string };
type Env = Record<string, string>;
type More = { env?: Env; input?: string | Uint8Array };

export function start(file: string, args: readonly string[], env: Env): ChildProcess {
  const own = { ...bareEnvironment(), ...env };
  return spawn(process.execPath, ["--disable-warning=ExperimentalWarning", entry(file), ...args], {
    env: own,
    stdio: "pipe",
  });
}

/** The command line on one data folder. */
export function commandLine(dataDir: string, base: Env = {}) {
  async function run(args: readonly string[], { env = {}, input = "" }: More = {}): Promise<Ran> {
    const child = start("cli/main.ts", args, { DATA_DIR: dataDir, ...base, ...env });
    child.stdin?.on("error", () => {}).end(input);
    const texts = [child.stdout, child.stderr].map((stream) => stream?.toArray());
    const [status] = (await once(child, "exit")) as [number | null];
    const [stdout, stderr] = (await Promise.all(texts)).map((chunks) =>
      Buffer.concat(chunks ?? []).toString(),
    );
    return { status, stdout: stdout ?? "", stderr: stderr ?? "" };
  }

  /** With --json standard output is exactly one line with one object, whatever happens. */
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
    /** The sentence of a refusal. */
    async refused(line: string, more?: More): Promise<string> {
      return sentence(await runJson(words(line), 1, more));
    },
    async wrong(line: string, more?: More): Promise<string> {
      return sentence(await runJson(words(line), 2, more));
    },
    /** The object of a command that exits with 1 and yet is no refusal. */
    failed: (line: string) => runJson(words(line), 1),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on what they read.
export type Json = any;

function sentence(problem: Json): string {
  assert.deepEqual(Object.keys(problem), ["ok", "error"]);
  assert.equal(problem.ok, false);
  assert.match(problem.error, /[.?]$/, "a refusal is a sentence");
  return problem.error;
}

/** A server on a free port. */
export async function startServer(dataDir: string, env: Env = {}) {
  const silent = { PORT: "0", TOOLBOOTH_LOG_LEVEL: "silent", TOOLBOOTH_TOOL_THREADS: "1" };
  const child = start("node/main.ts", [], { DATA_DIR: dataDir, ...silent, ...env });
  const exited = once(child, "exit");
  let said = "";
  const url = await new Promise<string | undefined>((resolve) => {
    // It is read to its end: a server whose standard output is closed on it would die of the next line.
    child.stdout?.on("data", (chunk) => {
      said += String(chunk);
      const found = /listens on (\S+)\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.stderr?.resume();
    child.on("exit", () => resolve(undefined));
  });
  assert.ok(url, "the server came up");
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
