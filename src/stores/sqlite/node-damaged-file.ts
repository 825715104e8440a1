import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { openNodeSqlite } from "./node.ts";
import { openPageFile, PAGE_BYTES, type PageFile } from "./node-file-pages.ts";
import { ROW_KEYS } from "./row-checks.ts";

/** The pages of a damaged database, with the first page and the columns of each table and index. */
export type DamagedFile = {
  pages: PageFile;
  trees: ReadonlyMap<string, { root: number; columns: readonly string[] }>;
};

/** Copies the pages of a damaged database as of one moment into a file in `folder`. Returns null if nothing can be read. */
export async function openDamaged(file: string, folder: string): Promise<DamagedFile | null> {
  const database = openReadableDatabase(file, folder);
  if (database === null) return null;
  try {
    const found = database.prepare("SELECT name, rootpage FROM sqlite_schema").all();
    const info = database.prepare("SELECT name FROM pragma_table_info(?)");
    const trees = found.map(({ name, rootpage }) => {
      const columns = info.all(name ?? "").map((column) => String(column["name"]));
      return [String(name), { root: Number(rootpage), columns }] as const;
    });
    const copy = path.join(folder, "pages.sqlite");
    // It copies pages as they are, with those that are only in the log.
    await backup(database, copy, { rate: 2 ** 30 });
    return { pages: openPageFile(copy), trees: new Map(trees) };
  } finally {
    database.close();
  }
}

/**
 * Opens a damaged database for reading. If its header or its schema is damaged, SQLite opens nothing. But every data folder has the
 * same schema on the same pages, and so has every backup, so these pages can be copied from a new database into a copy of the file.
 */
function openReadableDatabase(file: string, folder: string): DatabaseSync | null {
  const asItIs = openReadable(file);
  const tables = Object.keys(ROW_KEYS).length;
  if (asItIs.readable === tables) return asItIs.database;
  let best = asItIs;
  for (const [index, layout] of makeLayouts(folder).entries()) {
    const copy = path.join(folder, `copy-${index}.sqlite`);
    for (const suffix of ["", "-wal"])
      if (existsSync(file + suffix))
        copyFileSync(file + suffix, copy + suffix, constants.COPYFILE_FICLONE);
    copySchema(layout, copy);
    const repaired = openReadable(copy);
    const [better, worse] = repaired.readable > best.readable ? [repaired, best] : [best, repaired];
    worse.database?.close();
    best = better;
  }
  if (best.readable > 0) return best.database;
  best.database?.close();
  return null;
}

/** Counts the tables of the ledger whose first page can be read. */
function openReadable(file: string): { database: DatabaseSync | null; readable: number } {
  let database: DatabaseSync | null = null;
  let readable = 0;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 4_000 });
    // One moment, for as long as the connection is open.
    database.exec("BEGIN");
  } catch {
    return { database, readable };
  }
  for (const [table, key] of Object.entries(ROW_KEYS)) {
    try {
      // Read from both ends, because one of them may be damaged.
      const ends = [`${key} ASC`, `${key.replaceAll(",", " DESC,")} DESC`].map((order) => {
        try {
          return database?.prepare(`SELECT checksum FROM ${table} ORDER BY ${order} LIMIT 1`).all();
        } catch {
          return undefined;
        }
      });
      if (ends.some((end) => end !== undefined)) readable += 1;
    } catch {}
  }
  return { database, readable };
}

/** Creates an empty database as a data folder has it, and one as a backup has it, whose pages VACUUM has ordered. */
function makeLayouts(folder: string): string[] {
  const [created, vacuumed] = ["created.sqlite", "vacuumed.sqlite"].map((name) =>
    path.join(folder, name),
  ) as [string, string];
  const driver = openNodeSqlite(created);
  driver.prepare("VACUUM INTO ?").run(vacuumed);
  driver.close();
  return [created, vacuumed];
}

/** The place of the number of pages in the header. */
const PAGE_COUNT_AT = 28;

function copySchema(layout: string, copy: string): void {
  const database = new DatabaseSync(layout, { readOnly: true });
  const pages = database
    .prepare("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'")
    .all()
    .map((row) => Number(row["pageno"]));
  database.close();
  // A file that was cut off may end before the first page of a table, and SQLite would reject its schema.
  const count = Math.ceil(Math.max(statSync(copy).size, statSync(layout).size) / PAGE_BYTES);
  truncateSync(copy, count * PAGE_BYTES);
  const from = openSync(layout, "r");
  const to = openSync(copy, "r+");
  const page = Buffer.alloc(PAGE_BYTES);
  for (const number of pages) {
    readSync(from, page, 0, PAGE_BYTES, (number - 1) * PAGE_BYTES);
    if (number === 1) page.writeUInt32BE(count, PAGE_COUNT_AT);
    writeSync(to, page, 0, PAGE_BYTES, (number - 1) * PAGE_BYTES);
  }
  closeSync(from);
  closeSync(to);
}
