/** What depends on the store, over D1 in workerd. The other suites of the dashboard run over SQLite. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { D1 } from "#stores/sql/d1-database.ts";
import { openFixture, openMember, useDashboardStore } from "../dashboard-fixture.ts";
import { d1Store } from "./store.ts";

/** The error of every statement while it is set. */
let trouble: string | null = null;

const troubled = (d1: D1): D1 => {
  const orFail = <Result>(ask: () => Promise<Result>) =>
    trouble === null ? ask() : Promise.reject(new Error(`D1_ERROR: ${trouble}`));
  return {
    prepare: (sql) => d1.prepare(sql),
    batch: (statements) => orFail(() => d1.batch(statements)),
  };
};
useDashboardStore(() => d1Store(troubled));
await import("../sign-up.test.ts");
await import("../keys.test.ts");
await import("../stolen-data.test.ts");

test("while D1 is overloaded, users are asked to try again in a moment, and nothing has changed", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const before = await fixture.rows("SELECT * FROM user_session");
  trouble = "D1 DB is overloaded. Requests queued for too long.";
  const who = fixture.browser();
  const responses = [
    await member.browser.get("/dashboard/home"),
    await member.browser.post("/dashboard/keys", { label: "ci" }),
    await fixture.signIn(who, "new@example.com"),
    await fixture.signIn(who, member.email),
  ];
  trouble = null;
  for (const { status, code, headers } of responses) {
    assert.deepEqual([status, code], [503, "unavailable"]);
    assert.ok(Number(headers.get("retry-after")) > 0);
  }
  assert.deepEqual(await fixture.rows("SELECT * FROM user_session"), before);
  assert.equal((await member.browser.get("/dashboard/home")).status, 200);
  assert.equal((await fixture.signIn(who, member.email)).status, 200);
});
