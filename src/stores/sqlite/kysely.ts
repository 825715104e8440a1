import {
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Turns } from "./database.ts";
import type { SqlDriver, SqlValue } from "./driver.ts";

/** Statements that return rows. */
const READER = /^\s*(?:select|with|pragma)\b|\breturning\b/i;

/**
 * A Kysely dialect over our driver, for better-auth. Its statements and transactions take turns with ours. Its transactions take
 * the write lock at their start: a transaction that reads first and writes later fails with SQLITE_BUSY_SNAPSHOT if the ledger's
 * thread has committed in between.
 */
export function createKyselyDialect(driver: SqlDriver, turns: Turns): Dialect {
  const database = {
    close() {},
    prepare(sql: string) {
      const statement = driver.prepare(sql === "begin" ? "BEGIN IMMEDIATE" : sql);
      const all = (parameters: readonly unknown[]) => statement.all(...(parameters as SqlValue[]));
      return {
        reader: READER.test(sql),
        all,
        run: (parameters: readonly unknown[]) => ({
          changes: statement.run(...(parameters as SqlValue[])),
          lastInsertRowid: 0,
        }),
        iterate: (parameters: readonly unknown[]) => all(parameters)[Symbol.iterator](),
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
