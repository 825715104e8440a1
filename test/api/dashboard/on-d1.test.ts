/**
 * The dashboard suites, as they are, over D1 in workerd: better-auth with the binding itself. A run takes a sample of them;
 * TEST_EDGE=all takes all.
 */
import { drawSample } from "../../support/sample.ts";
import { d1Store } from "./d1-store.ts";
import { useDashboardStore } from "./dashboard-fixture.ts";

useDashboardStore(() => d1Store());
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
const takesAll = process.env["TEST_EDGE"] === "all";
for (const suite of drawSample("the dashboard over D1", SUITES, 1, takesAll))
  await import(`./${suite}.test.ts`);
// Short, and what it shows depends on the store.
await import("./stolen-data.test.ts");
