import type { SqlDriver } from "./sqlite-driver.ts";

/** The secret that the service made for itself, kept with the data; made at the first call, the same ever after. */
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
