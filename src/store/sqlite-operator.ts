import type { SqlDriver } from "./sqlite-driver.ts";

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
