import type { SqlDriver } from "./sqlite-driver.ts";
import { createSqliteJournal } from "./sqlite-journal.ts";

/** What the command line needs of the people's side, for a person whose account the operator changes. */

/** The person whose account it is; null where nobody has signed up with its address. */
export function findPersonOf(
  driver: SqlDriver,
  account: string,
): { person: string; email: string } | null {
  const row = driver.prepare("SELECT id, email FROM person WHERE account = ?").get(account);
  return row === undefined ? null : { person: row["id"] as string, email: row["email"] as string };
}

/** Notes what the operator did, for the person to see: it came from no network address. */
export function noteOperatorsAct(
  driver: SqlDriver,
  order: { person: string; at: number; kind: "key_created" | "key_revoked"; label: string },
): void {
  const { person, at, kind, label } = order;
  const detail = `${label} (by the operator)`;
  driver.transaction("write", () =>
    createSqliteJournal(driver).noteEvent({ person, at, kind, detail, address: null }),
  );
}

/**
 * Of a database that is put back in place: what let somebody in at the time of the copy must not let them in again,
 * and letters of that time were sent long ago.
 */
export function endVisits(driver: SqlDriver): { sessions: number; links: number; letters: number } {
  return driver.transaction("write", () => ({
    sessions: driver.prepare("DELETE FROM person_session").run(),
    links: driver.prepare("DELETE FROM person_token").run(),
    letters: driver.prepare("DELETE FROM letter").run(),
  }));
}
