import type { Ledger } from "#ledger/port.ts";
import { openMemorySqlite } from "./memory-sqlite.ts";
import { openSqliteDirect } from "./sqlite-direct.ts";

/** A ledger in memory, for tests that are about something else: the SQLite store over a database that goes with it. */
export const createMemoryLedger = (): Ledger => openMemoryStore().ledger;

export const openMemoryStore = () => openSqliteDirect(openMemorySqlite());
