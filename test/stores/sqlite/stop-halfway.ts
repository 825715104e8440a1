import { writeSync } from "node:fs";
import { createJournal } from "#stores/sqlite/new-debits.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";

/** Drains the journal of a file, and stops for good after the rows were copied and before they are deleted. */
const [file = "", rows = ""] = process.argv.slice(2);
const driver = openNodeSqlite(file);
const journal = createJournal({
  ...driver,
  prepare(sql) {
    const statement = driver.prepare(sql);
    if (!sql.startsWith("DELETE FROM debit_journal")) return statement;
    const run = () => {
      writeSync(1, "halfway\n");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      return 0;
    };
    return { ...statement, run };
  },
});
driver.transaction("write", () => journal.drain(Number(rows)));
