import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { OutOfReach } from "#stores/postgres/faults.ts";
import { UnfitDatabase } from "#stores/postgres/migrate.ts";
import { SchemaMismatch, SchemaTooNew } from "#stores/schema/migrations.ts";
import { waitForDatabase } from "../../../src/apps/node/database-startup.ts";

/** A start that waits for its database, with a clock that the test controls. */
const of = (code: string, message = "said") =>
  Object.assign(new Error(message), { code, severity: "FATAL" });
const wrapped = (cause: Error) => new OutOfReach(`out of reach: ${cause.message}`, { cause });
const ofSystem = (code: string) => Object.assign(new Error(code), { code });

function openFixture(t: TestContext, fault: () => Error | null) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const logged: string[] = [];
  const fixture = { tries: 0, logged, outcome: null as Error | string | null };
  const act = async () => {
    fixture.tries += 1;
    const error = fault();
    if (error !== null) throw error;
    return "fit";
  };
  void waitForDatabase(act, { forMs: 60_000, log: (sentence) => logged.push(sentence) }).then(
    (outcome) => {
      fixture.outcome = outcome;
    },
    (error) => {
      fixture.outcome = error;
    },
  );
  return Object.assign(fixture, {
    async seconds(count: number) {
      for (let second = 0; second < count; second += 1) {
        await turn();
        now += 1_000;
        t.mock.timers.tick(1_000);
      }
      await turn();
    },
  });
}

for (const [what, fault] of [
  ["refuses connections", wrapped(ofSystem("ECONNREFUSED"))],
  ["has a host name that does not resolve yet", wrapped(ofSystem("ENOTFOUND"))],
  ["is starting", wrapped(of("57P03"))],
  ["has no connection left", wrapped(of("53300"))],
  ["is a standby", of("25006")],
  ["broke the connection", wrapped(new Error("Connection terminated unexpectedly"))],
  ["does not respond", wrapped(new Error("Connection terminated due to connection timeout"))],
] as const) {
  test(`a database that ${what} is retried until it works`, async (t) => {
    let isFit = false;
    const fixture = openFixture(t, () => (isFit ? null : fault));
    await fixture.seconds(29);
    assert.deepEqual([fixture.outcome, fixture.tries], [null, 30]);
    assert.equal(fixture.logged.length, 2, "now and then");
    isFit = true;
    await fixture.seconds(1);
    assert.equal(fixture.outcome, "fit");
  });
}

test("throws the error after a minute, and each log line says how long it still waits", async (t) => {
  const fault = wrapped(ofSystem("ECONNREFUSED"));
  const fixture = openFixture(t, () => fault);
  await fixture.seconds(70);
  assert.equal(fixture.outcome, fault);
  assert.deepEqual(
    fixture.logged.map((sentence) => / Waiting up to (\d+) s for it\.$/.exec(sentence)?.[1]),
    ["60", "45", "30", "15"],
  );
});

for (const [what, fault] of [
  ["a wrong password", wrapped(of("28P01"))],
  ["an unknown user", wrapped(of("28000"))],
  ["no such database", wrapped(of("3D000"))],
  ["no rights", of("42501")],
  ["a schema that is too new", new SchemaTooNew("newer")],
  ["a migration that was edited", new SchemaMismatch("edited")],
  ["a database in LATIN1", new UnfitDatabase("LATIN1")],
  ["no TLS", wrapped(new Error("The server does not support SSL connections"))],
] as const) {
  test(`does not wait for ${what}`, async (t) => {
    const fixture = openFixture(t, () => fault);
    await fixture.seconds(0);
    assert.deepEqual([fixture.outcome, fixture.tries, fixture.logged], [fault, 1, []]);
  });
}
