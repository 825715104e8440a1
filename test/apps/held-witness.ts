/** Runs in the threads of tools: writes down each run, and whether the ledger has its hold at that time. */
import { appendFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseCallRef } from "#ids.ts";

/** In the folder of the project, which is the working directory. */
export const RUNS_FILE = "runs.txt";
const HELD = "SELECT count(*) AS count FROM hold WHERE at = $1 AND call_id = $2";

type FindHold = (at: number, callId: string) => Promise<{ count: unknown } | undefined>;
let find: Promise<FindHold> | undefined;

async function openFind(): Promise<FindHold> {
  const { DATABASE_URL, DATA_DIR = "" } = process.env;
  if (DATABASE_URL !== undefined) {
    const { openPostgresPool } = await import("#stores/postgres/pool.ts");
    const pool = openPostgresPool(DATABASE_URL, { max: 1 });
    return async (at, callId) =>
      (await pool.once<{ count: unknown }>("read", HELD, [at, callId]))[0];
  }
  const file = new DatabaseSync(path.join(DATA_DIR, "toolbooth.sqlite"), { readOnly: true });
  const statement = file.prepare(HELD.replaceAll("$", "?"));
  return async (at, callId) => statement.get(at, callId) as { count: unknown } | undefined;
}

export async function writeDown(name: string, callId: string): Promise<void> {
  find ??= openFind();
  const call = parseCallRef(callId);
  const found = call === null ? undefined : await (await find)(call.at, call.callId);
  addRun(RUNS_FILE, name, callId, Number(found?.count) === 1);
}

export const addRun = (file: string, name: string, callId: string, isHeld: boolean): void =>
  appendFileSync(file, `${name} ${callId} ${isHeld ? "held" : "not-held"}\n`);
