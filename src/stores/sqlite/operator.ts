import type { SqlDriver } from "./driver.ts";

export type Ended = { sessions: number; links: number; emails: number; webhooks: number };

/**
 * Of a database that is put back in place: what let somebody in at the time of the copy must not let them in again,
 * and letters and webhooks of that time were sent long ago, also those of notices that nobody had carried on. A webhook stays
 * in its owner's list, who may send it again.
 */
export function endRequests(driver: SqlDriver): Ended {
  return driver.transaction("write", () => {
    driver.prepare("DELETE FROM event").run();
    const ended = {
      sessions: driver.prepare("DELETE FROM person_session").run(),
      links: driver.prepare("DELETE FROM person_token").run(),
      emails: driver
        .prepare("DELETE FROM job WHERE queue IN ('email', 'outbox') AND died_at IS NULL")
        .run(),
      webhooks: driver
        .prepare(
          `UPDATE webhook_delivery SET last_error = ? WHERE id IN (
             SELECT id FROM job WHERE queue = 'webhook' AND died_at IS NULL)`,
        )
        .run(RESTORED),
    };
    // The dead ones as well: retrying one of them would send what is as old as the copy.
    driver.prepare("DELETE FROM job").run();
    return ended;
  });
}

const RESTORED =
  "The service's data was restored from a backup. It may have been delivered before; send it again if it was not.";
