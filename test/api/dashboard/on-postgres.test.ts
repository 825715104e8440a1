/** The dashboard suites, as they are, over PostgreSQL: better-auth over its pool, the ledger beside. */

import { test } from "node:test";
import { useDashboardStore } from "./dashboard-fixture.ts";
import { postgresStore } from "./postgres-store.ts";

useDashboardStore(postgresStore);
await import("./sign-up.test.ts");
await import("./sessions.test.ts");
await import("./two-at-one-address.test.ts");
await import("./closing.test.ts");
await import("./purchases.test.ts");
if (process.env["TEST_FLEET"] === "all") {
  await import("./sign-in.test.ts");
  await import("./links.test.ts");
  await import("./enumeration.test.ts");
  await import("./keys.test.ts");
  await import("./purchases-messages.test.ts");
} else {
  const skip = "a sample of five of the ten suites; TEST_FLEET=all takes all";
  test("sign-in, links, enumeration, keys and messages about purchases over PostgreSQL", { skip });
}
