/** The dashboard suites, as they are, over D1 in workerd: better-auth with the binding itself. */

import { test } from "node:test";
import { d1Store } from "./d1-store.ts";
import { useDashboardStore } from "./dashboard-fixture.ts";

useDashboardStore(() => d1Store());
await import("./sign-up.test.ts");
await import("./two-at-one-address.test.ts");
await import("./closing.test.ts");
if (process.env["TEST_EDGE"] === "all") {
  await import("./links.test.ts");
  await import("./sign-in.test.ts");
  await import("./sessions.test.ts");
  await import("./enumeration.test.ts");
  await import("./keys.test.ts");
  await import("./purchases.test.ts");
  await import("./purchases-messages.test.ts");
} else {
  const skip = "a sample of three of the ten suites; TEST_EDGE=all takes all";
  test("links, sign-in, sessions, enumeration, keys, purchases and their messages over D1", {
    skip,
  });
}
