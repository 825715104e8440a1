import type { SqlDriver } from "./driver.ts";

/** Returns the service's secret, which is stored with the data. The first call creates it. */
export function keepSecret(driver: SqlDriver, make: () => string): string {
  const find = driver.prepare("SELECT value FROM setting WHERE name = 'secret'");
  const found = find.get()?.["value"];
  if (found !== undefined) return found as string;
  return driver.transaction("write", () => {
    driver
      .prepare("INSERT INTO setting (name, value) VALUES ('secret', ?) ON CONFLICT DO NOTHING")
      .run(make());
    return find.get()?.["value"] as string;
  });
}

/** Whether there is no account yet, or only the account of this email address without a key: its creation did not finish. */
export function isEmptyOrUnfinished(driver: SqlDriver, email: string): boolean {
  const others = driver.prepare(
    `SELECT 1 AS found FROM account a WHERE
       a.id NOT IN (SELECT account FROM address WHERE email = ?)
       OR EXISTS (SELECT 1 FROM api_key k WHERE k.account_no = a.no) LIMIT 1`,
  );
  return others.get(email) === undefined;
}
