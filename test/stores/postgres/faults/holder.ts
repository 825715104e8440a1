import { once } from "node:events";
import { openPostgresPool } from "#stores/postgres/pool.ts";

/** A program that locks an account, and goes on with its transaction when it is told to. */
const [url, account] = process.argv.slice(2) as [string, string];
const LOCK = "SELECT no FROM account WHERE id = $1 FOR NO KEY UPDATE";

const pool = openPostgresPool(url, { max: 1 });
const outcome = await pool
  .transaction("write", async (query) => {
    await query(LOCK, [account]);
    process.stdout.write("locked\n");
    await once(process.stdin, "data");
    await query("SELECT 1");
  })
  .then(
    () => "done",
    (error: Error) => error.constructor.name,
  );
const rows = await pool.once("write", LOCK, [account]);
await pool.close();
process.exitCode = outcome === "BrokenOff" && rows.length === 1 ? 0 : 1;
