import { setTimeout as wait } from "node:timers/promises";
import { openPostgresPool } from "#stores/postgres/pool.ts";

/** A program that locks an account and releases it after half a second, unless it is frozen in the meantime. */
const [url, account] = process.argv.slice(2) as [string, string];
const LOCK = "SELECT no FROM account WHERE id = $1 FOR NO KEY UPDATE";

const pool = openPostgresPool(url, { max: 1 });
const outcome = await pool
  .transaction("write", async (query) => {
    await query(LOCK, [account]);
    process.stdout.write("locked\n");
    await wait(500);
    await query("SELECT 1");
  })
  .then(
    () => "done",
    (error: Error) => error.constructor.name,
  );
const rows = await pool.once("write", LOCK, [account]);
await pool.close();
process.exitCode = outcome === "BrokenOff" && rows.length === 1 ? 0 : 1;
