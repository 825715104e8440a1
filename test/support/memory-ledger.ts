import type { Directory } from "#accounts/directory.ts";
import type { Ledger } from "#ledger/port.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";

/** A ledger in memory, for tests that are about something else: the SQLite store over a database that goes with it. */
export const createMemoryLedger = (): Ledger => openMemoryStore().ledger;
export const createMemoryDirectory = (): Directory => openMemoryStore().directory;

const openMemoryStore = () => openSqliteDirect(openNodeSqlite(":memory:"));
