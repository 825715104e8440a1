/**
 * The dashboard suites, as they are, over PostgreSQL: better-auth over its pool, the ledger beside. A run takes a sample of
 * them; TEST_FLEET=all takes all.
 */
import { drawSample } from "../../support/sample.ts";
import { useDashboardStore } from "./dashboard-fixture.ts";
import { postgresStore } from "./postgres-store.ts";

useDashboardStore(postgresStore);
const SUITES = [
  "sign-up",
  "confirmed-sign-in",
  "sign-in",
  "links",
  "sessions",
  "enumeration",
  "two-at-one-address",
  "who-has-access",
  "starter-once",
  "keys",
  "factors",
  "closing",
  "purchases",
  "purchases-messages",
];
const takesAll = process.env["TEST_FLEET"] === "all";
for (const suite of drawSample("the dashboard over PostgreSQL", SUITES, 1, takesAll))
  await import(`./${suite}.test.ts`);
// Short, and what it shows depends on the store.
await import("./stolen-data.test.ts");
