import type { DatabaseConnection, Driver } from "kysely";

/** A driver of Kysely with one connection, which it does not own. There are no transactions, because better-auth is configured not to use any. */
export const driveOne = (connection: DatabaseConnection): Driver => ({
  async init() {},
  acquireConnection: async () => connection,
  beginTransaction: throwUnsupported,
  commitTransaction: throwUnsupported,
  rollbackTransaction: throwUnsupported,
  async releaseConnection() {},
  async destroy() {},
});

export function throwUnsupported(): never {
  throw new Error("This dialect supports neither transactions nor streams");
}
