import type { SqlDriver } from "./driver.ts";

export type Ended = { sessions: number; links: number; emails: number; webhooks: number };

/**
 * Cleans up a database that is restored from a backup. Sessions and links of that time must not give access again. Emails and
 * webhooks that were waiting then, including those of pending events, were probably sent since. Webhook deliveries stay in their
 * owner's list, so that the owner can send them again.
 */
export function endRequests(driver: SqlDriver): Ended {
  return driver.transaction("write", () => {
    driver.prepare("DELETE FROM event").run();
    const ended = {
      sessions: driver.prepare("DELETE FROM user_session").run(),
      links: driver.prepare("DELETE FROM user_token").run(),
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
    // Dead jobs too: retrying one would send something as old as the backup.
    driver.prepare("DELETE FROM job").run();
    return ended;
  });
}

const RESTORED =
  "The service was restored from a backup. This webhook may have been delivered before; send it again if it was not.";
