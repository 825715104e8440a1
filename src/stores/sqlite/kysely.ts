import {
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { SqlDriver, SqlValue } from "./driver.ts";
import type { Turns } from "./turns.ts";

/** Statements that give rows. */
const READER = /^\s*(?:select|with|pragma)\b|\breturning\b/i;

/**
 * A Kysely dialect over a driver of ours, for better-auth. Its statements and transactions take turns with ours, and its
 * transactions take the write lock at once: one that reads first and writes later could not get it any more while the
 * ledger's thread commits (SQLITE_BUSY_SNAPSHOT), however long it waits.
 */
export function createKyselyDialect(driver: SqlDriver, turns: Turns): Dialect {
  const database = {
    close() {},
    prepare(sql: string) {
      const statement = driver.prepare(sql === "begin" ? "BEGIN IMMEDIATE" : sql);
      const values = (given: readonly unknown[]) => given as SqlValue[];
      return {
        reader: READER.test(sql),
        all: (given: readonly unknown[]) => statement.all(...values(given)),
        run: (given: readonly unknown[]) => ({
          changes: statement.run(...values(given)),
          lastInsertRowid: 0,
        }),
        iterate: (given: readonly unknown[]) => statement.all(...values(given))[Symbol.iterator](),
      };
    },
  };
  const config = { database };
  return Object.assign(new SqliteDialect(config), {
    createDriver: () => new TurnTakingDriver(config, turns),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db: ConstructorParameters<typeof SqliteIntrospector>[0]) =>
      new SqliteIntrospector(db),
  });
}

class TurnTakingDriver extends SqliteDriver {
  readonly #turns: Turns;
  #end: () => void = () => {};

  constructor(config: ConstructorParameters<typeof SqliteDriver>[0], turns: Turns) {
    super(config);
    this.#turns = turns;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const end = await this.#turns.take();
    this.#end = end;
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    const end = this.#end;
    await super.releaseConnection();
    end();
  }
}
