import type { Address, SyncDirectory } from "#accounts/directory.ts";
import type { SqlDriver, SqlRow } from "./sqlite-driver.ts";

/** The directory's operations as SQLite statements, to be called inside a transaction of the driver. */
export function createSqliteDirectory(driver: SqlDriver): SyncDirectory {
  const insert = driver.prepare(
    "INSERT INTO address (email, account, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const find = driver.prepare("SELECT * FROM address WHERE email = ?");
  const list = driver.prepare("SELECT * FROM address WHERE email > ? ORDER BY email LIMIT ?");
  const forget = driver.prepare("DELETE FROM address WHERE account = ?");
  const noteClosed = driver.prepare(
    "INSERT INTO closed_address (email_hash, closed_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  const findClosed = driver.prepare("SELECT 1 AS found FROM closed_address WHERE email_hash = ?");
  return {
    register({ email, account, createdAt }) {
      if (insert.run(email, account, createdAt) > 0) return { outcome: "registered" };
      const same = find.get(email)?.["account"] === account;
      return { outcome: same ? "registered" : "taken" };
    },
    findByEmail({ email }) {
      const row = find.get(email);
      return row === undefined ? null : readAddress(row);
    },
    listAddresses: ({ after, max }) => list.all(after ?? "", max).map(readAddress),
    forget({ account, emailHash, now }) {
      if (forget.run(account) === 0) return { found: false };
      noteClosed.run(emailHash, now);
      return { found: true };
    },
    noteClosed({ emailHash, now }) {
      noteClosed.run(emailHash, now);
      return { noted: true };
    },
    wasClosed: ({ emailHash }) => ({ closed: findClosed.get(emailHash) !== undefined }),
  };
}

const readAddress = (row: SqlRow): Address => ({
  email: row["email"] as string,
  account: row["account"] as string,
  createdAt: row["created_at"] as number,
});
