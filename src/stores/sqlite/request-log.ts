import type { RequestChunk } from "#accounts/request-log.ts";
import type { Migration } from "../schema/migrations.ts";
import { sqliteRequests } from "../schema/sqlite-requests.ts";
import type { RequestTables } from "../sql/request-log.ts";
import { createSqliteDatabase } from "./database.ts";
import type { SqlDriver } from "./driver.ts";

export const REQUEST_LOG_MIGRATIONS: readonly Migration[] = [
  { name: "initial", sql: sqliteRequests, readableFrom: 1 },
];

/** The tables of the request log in a file of their own. */
export function createSqliteRequestTables(driver: SqlDriver): RequestTables {
  return {
    ...createSqliteDatabase(driver),
    async insert(chunks: readonly RequestChunk[]) {
      driver.transaction("write", () => {
        const insert = driver.prepare(INSERT);
        for (const { account, firstAt, lastAt, count, errors, packed } of chunks)
          insert.run(account, firstAt, lastAt, count, errors, packed, account);
      });
    },
  };
}

const INSERT = `INSERT INTO request_chunk (account, first_at, last_at, count, errors, packed)
  SELECT ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM request_forgotten WHERE account = ?)`;
