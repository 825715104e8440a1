import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { SETTINGS } from "#config/settings.ts";
import { CPU_REPORTER, HAS_PROC } from "./process-cpu.ts";

/** The measured servers, each in its own process on a free port of 127.0.0.1. */
export type Server = {
  name: string;
  port: number;
  child: ChildProcess;
  stop(signal?: NodeJS.Signals): Promise<void>;
};
export type OwnServer = Server & { key: string; dataDir: string };

const ROOT = path.join(import.meta.dirname, "..");
/** The first start builds the pages, on a machine that may be busy. */
const START_TIMEOUT_MS = 60_000;
/** More than a run can spend. */
const STARTER_CREDITS = 1_000_000_000;

export async function startBareServer(): Promise<Server> {
  const { server } = await start(
    "bare node:http",
    ["bench/peers/bare-node-http.ts"],
    baseEnv(),
    /127\.0\.0\.1:(\d+)/,
  );
  return server;
}

export type UsualName = keyof typeof USUAL_SCRIPTS;
const USUAL_SCRIPTS = {
  express: "bench/peers/express-server.ts",
  fastify: "bench/peers/fastify-server.ts",
} as const;
export const USUAL_NAMES = Object.keys(USUAL_SCRIPTS) as UsualName[];

/** Starts one of the builds that people would write instead, on a folder with accounts (`createUsualAccounts`). */
export async function startUsualServer(name: UsualName, dataDir: string): Promise<Server> {
  const env = { ...baseEnv(), DATA_DIR: dataDir, NODE_ENV: "production" };
  const { server } = await start(name, [USUAL_SCRIPTS[name]], env, /127\.0\.0\.1:(\d+)/);
  return server;
}

/** Starts the real server like `npm start`, without a rate limit, on an empty data folder or database unless `knownKey` is one of its keys. */
export async function startOwnServer(
  dataDir: string,
  logLevel: string,
  settings: NodeJS.ProcessEnv = {},
  knownKey?: string,
): Promise<OwnServer> {
  const env = {
    ...baseEnv(),
    ...settings,
    HOST: "127.0.0.1",
    PORT: "0",
    DATA_DIR: dataDir,
    RATE_LIMIT: "0",
    TOOLBOOTH_STARTER_CREDITS: String(STARTER_CREDITS),
    TOOLBOOTH_LOG_LEVEL: logLevel,
  };
  const { server, found } = await start(
    "toolbooth",
    ["src/apps/node/main.ts"],
    env,
    // A server prints its starter key only when it creates the database.
    knownKey === undefined ? /127\.0\.0\.1:(\d+)[\s\S]*Bearer (\w+)/ : /127\.0\.0\.1:(\d+)/,
  );
  return { ...server, key: knownKey ?? (found[2] as string), dataDir };
}

/** Creates a data folder beside the source, because the system's temporary folder may be in memory, where a sync costs nothing. */
export function makeDataDir(): { dataDir: string; remove(): void } {
  const parent = path.join(ROOT, "data");
  mkdirSync(parent, { recursive: true });
  const dataDir = mkdtempSync(path.join(parent, "bench-"));
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
}

/** Returns the environment without settings of Toolbooth. */
function baseEnv(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const { name } of SETTINGS) delete env[name];
  return env;
}

async function start(
  name: string,
  script: string[],
  env: NodeJS.ProcessEnv,
  announcement: RegExp,
): Promise<{ server: Server; found: RegExpExecArray }> {
  const reporter = HAS_PROC ? [] : ["--import", CPU_REPORTER];
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", ...reporter, ...script],
    // Discards the log: formatting and writing lines is the server's cost, storing them is not.
    { cwd: ROOT, env, stdio: ["ignore", "pipe", "ignore", ...(HAS_PROC ? [] : ["ipc" as const])] },
  );
  endWithThisProcess(child);
  const found = await readAnnouncement(child, name, announcement);
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  return { server: { name, port: Number(found[1]), child, stop }, found };
}

/** The line that a server writes when it listens. */
function readAnnouncement(
  child: ChildProcess,
  name: string,
  announcement: RegExp,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      child.kill("SIGKILL");
      reject(new Error(`The server "${name}" ${reason}`));
    };
    const timer = setTimeout(() => fail("did not report that it listens"), START_TIMEOUT_MS);
    const ended = (code: number | null) => {
      clearTimeout(timer);
      fail(`ended with code ${code} before it listened. Start it by hand to see why`);
    };
    child.once("exit", ended);
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      const found = announcement.exec(text);
      if (found === null) return;
      clearTimeout(timer);
      child.off("exit", ended);
      resolve(found);
    });
  });
}

/** Stops the servers if the benchmark is interrupted. */
function endWithThisProcess(child: ChildProcess): void {
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
}
