/**
 * Deletes, truncates and replaces the database files of a running server under load, and counts what becomes of the calls that got
 * 200: `node test/trials/lost-files.ts [rounds]`. Needs no network and no rights. Takes about 15 s a round and fault.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";

const CALLERS = 32;
const BEFORE_MS = 1_500;
const AFTER_MS = 4_000;
const rounds = Number(process.argv[2] ?? 1);
const source = (file: string) => path.join(import.meta.dirname, "../../src/apps", file);
const NODE_OPTIONS = ["--disable-warning=ExperimentalWarning"];

type Fault = (file: string, older: string) => void;
const FAULTS: Record<string, Fault> = {
  rm: (file) => rmSync(file),
  "rm with -wal and -shm": (file) => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix);
  },
  "rm -wal": (file) => rmSync(`${file}-wal`),
  "truncate to 0": (file) => truncateSync(file, 0),
  "truncate to half": (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  "mv and cp back": (file) => {
    renameSync(file, `${file}.moved`);
    copyFileSync(`${file}.moved`, file);
  },
  "mv of an older copy over it": (file, older) => renameSync(older, file),
  "cp of an older copy over it": (file, older) => copyFileSync(older, file),
};

function run(env: Record<string, string>, ...args: string[]): string {
  try {
    return execFileSync(process.execPath, [...NODE_OPTIONS, source("cli/main.ts"), ...args], {
      env: { ...process.env, ...env },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `${stdout}${stderr}`;
  }
}

function startServer(env: Record<string, string>) {
  const child = spawn(process.execPath, [...NODE_OPTIONS, source("node/main.ts")], {
    env: { ...process.env, PORT: "0", RATE_LIMIT: "0", TOOLBOOTH_LOG_LEVEL: "warn", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let written = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      written += data;
    });
  return { child, written: () => written };
}

async function baseOf(server: ReturnType<typeof startServer>): Promise<string> {
  for (;;) {
    const found = /listens on (http:\S+)/.exec(server.written())?.[1];
    if (found !== undefined) return found;
    if (server.child.exitCode !== null) throw new Error(server.written());
    await wait(20);
  }
}

/** The idempotency keys of the calls in a database. */
function keysIn(file: string): Set<string> {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare("SELECT key FROM idempotency").all();
  database.close();
  return new Set(rows.map((row) => String(row["key"])));
}

/** What the next start says. */
async function nextStart(env: Record<string, string>): Promise<string> {
  const { child, written } = startServer(env);
  const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await once(child, "exit");
  clearTimeout(late);
  return `next start: ${written()}`;
}

async function trial(name: string, fault: Fault) {
  const DATA_DIR = mkdtempSync(path.join(tmpdir(), "toolbooth-trial-"));
  const env = { DATA_DIR };
  const file = path.join(DATA_DIR, "toolbooth.sqlite");
  const older = path.join(DATA_DIR, "older-copy");
  run(env, "account", "create", "a@b.c", "--credits", "10000000");
  const { key } = JSON.parse(run(env, "key", "create", "a@b.c", "--label", "l", "--json")) as {
    key: string;
  };
  const server = startServer(env);
  const base = await baseOf(server);
  let running = true;
  let at = Number.POSITIVE_INFINITY;
  const answered: string[] = [];
  let late = 0;
  let lastLate = 0;
  let refused = 0;
  async function call(): Promise<void> {
    while (running) {
      const idempotencyKey = crypto.randomUUID();
      try {
        const response = await fetch(`${base}/api/v1/uuid`, {
          method: "POST",
          headers: { Authorization: `Bearer ${key}`, "Idempotency-Key": idempotencyKey },
        });
        await response.arrayBuffer();
        if (response.status !== 200) {
          refused += 1;
          await wait(5);
          continue;
        }
        answered.push(idempotencyKey);
        if (performance.now() > at) {
          late += 1;
          lastLate = performance.now() - at;
        }
      } catch {
        await wait(5);
      }
    }
  }
  const callers = Array.from({ length: CALLERS }, call);
  await wait(BEFORE_MS);
  copyFileSync(file, older);
  await wait(BEFORE_MS);
  at = performance.now();
  fault(file, older);
  let unready: number | null = null;
  while (unready === null && performance.now() - at < AFTER_MS) {
    if ((await fetch(`${base}/readyz`)).status === 503) unready = performance.now() - at;
    else await wait(5);
  }
  await wait(AFTER_MS - (performance.now() - at));
  running = false;
  await Promise.all(callers);
  const { detail } = (await (await fetch(`${base}/readyz`)).json()) as { detail?: string };
  server.child.kill("SIGTERM");
  await once(server.child, "exit");
  const rescued = readdirSync(DATA_DIR).find((each) => /^toolbooth-rescued-.*\.sqlite$/.test(each));
  const next = rescued === undefined ? await nextStart(env) : "";
  const restored =
    rescued === undefined ? "nothing saved" : run(env, "restore", path.join(DATA_DIR, rescued));
  const audit = rescued === undefined ? "" : run(env, "audit", "--json");
  const found = rescued === undefined ? new Set<string>() : keysIn(file);
  const lost = answered.filter((each) => !found.has(each)).length;
  console.log(
    [
      name,
      `${answered.length} calls with 200`,
      `${late} of them after it, until ${Math.round(lastLate)} ms`,
      `${lost} lost`,
      `503 from /readyz after ${unready === null ? "never" : `${Math.round(unready)} ms`}`,
      `${refused} refused`,
      restored.split("\n")[0]?.includes("Restored") ? "restored" : restored.split("\n")[0],
      audit.includes('"ok":true') ? "audit ok" : audit.slice(0, 200),
      detail,
      next,
    ].join(" | "),
  );
  rmSync(DATA_DIR, { recursive: true, force: true });
}

for (let round = 1; round <= rounds; round += 1)
  for (const [name, fault] of Object.entries(FAULTS))
    if (name.includes(process.argv[3] ?? "")) await trial(name, fault);
