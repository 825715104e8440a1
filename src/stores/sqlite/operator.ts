import type { SqlDriver } from "./driver.ts";

export type Ended = { sessions: number; links: number; letters: number; webhooks: number };

/**
 * Of a database that is put back in place: what let somebody in at the time of the copy must not let them in again,
 * and letters and webhooks of that time were sent long ago, also those of notices that nobody had carried on. A webhook stays
 * in its owner's list, who may send it again.
 */
export function endVisits(driver: SqlDriver): Ended {
  return driver.transaction("write", () => {
    driver.prepare("DELETE FROM event").run();
    return {
      sessions: driver.prepare("DELETE FROM person_session").run(),
      links: driver.prepare("DELETE FROM person_token").run(),
      letters: driver.prepare("DELETE FROM letter").run(),
      webhooks: driver
        .prepare(
          `UPDATE webhook_delivery SET status = 'failed', due_at = NULL, leased_until = 0, last_fault = ?
           WHERE status = 'waiting'`,
        )
        .run(RESTORED),
    };
  });
}

const RESTORED =
  "The service's data was restored from a backup. It may have been delivered before; send it again if it was not.";
