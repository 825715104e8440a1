import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Kysely } from "kysely";
import { OutcomeUnknown } from "#ledger/port.ts";
import { signInOverPostgres } from "#stores/postgres/dashboard.ts";
import { codeOf } from "#stores/postgres/faults.ts";
import { isSure, openFaulty, PATIENT, settled } from "./fixture.ts";

/** Kysely, which better-auth uses, over our pool: it reports faults in the same way as all other code. */
async function open(t: TestContext) {
  const fixture = await openFaulty(t);
  const recorded: Error[] = [];
  const { dialect } = signInOverPostgres(fixture.pool, (fault) => recorded.push(fault));
  const db = new Kysely<{ setting: { name: string; value: string } }>({ dialect });
  const write = (name: string) => db.insertInto("setting").values({ name, value: "1" }).execute();
  const read = () => db.selectFrom("setting").selectAll().where("name", "like", "t_%").execute();
  return { ...fixture, db, recorded, write, read };
}

test("rows are read and written, and changes are counted", async (t) => {
  const { db, write, read, recorded } = await open(t);
  await write("t_one");
  await write("t_two");
  assert.deepEqual(await read(), [
    { name: "t_one", value: "1" },
    { name: "t_two", value: "1" },
  ]);
  const changed = await db.updateTable("setting").set({ value: "2" }).where("name", "like", "t_%");
  assert.equal((await changed.executeTakeFirst()).numUpdatedRows, 2n);
  const gone = await db.deleteFrom("setting").where("name", "=", "t_one").executeTakeFirst();
  assert.equal(gone.numDeletedRows, 1n);
  assert.deepEqual(recorded, []);
});

test("a rejected statement fails with the server's error, and is not reported as a fault of the database", async (t) => {
  const { write, recorded } = await open(t);
  await write("t_one");
  assert.equal(codeOf(await settled(write("t_one"))), "23505");
  assert.deepEqual(recorded, []);
});

test("transactions are not supported", async (t) => {
  const { db, read } = await open(t);
  await assert.rejects(
    db
      .transaction()
      .execute((within) =>
        within.insertInto("setting").values({ name: "t_one", value: "1" }).execute(),
      ),
    /supports neither transactions nor streams/,
  );
  assert.deepEqual(await read(), []);
});

test("a read whose response is lost is repeated; a write has an unknown outcome", async (t) => {
  const { network, write, read, recorded } = await open(t);
  await write("t_one");
  network.loseCommits(1);
  assert.equal((await read()).length, 1);
  assert.deepEqual(recorded, []);
  network.loseCommits(1);
  assert.ok((await settled(write("t_two"))) instanceof OutcomeUnknown);
  assert.equal(recorded.length, 1);
  assert.equal((await read()).length, 2, "it was carried out");
});

test(
  "while the server is known to be unreachable, few connections are attempted, however many statements there are",
  PATIENT,
  async (t) => {
    const { network, write, read, recorded } = await open(t);
    network.leadTo(1);
    network.cut();
    assert.ok(isSure(await settled(read())));
    const from = network.connections();
    const statements = Array.from({ length: 200 }, (_, i) =>
      i % 2 === 0 ? read() : write(`t_${i}`),
    );
    for (const outcome of await Promise.all(statements.map((each) => settled<unknown>(each))))
      assert.ok(isSure(outcome), String(outcome));
    const tries = network.connections() - from;
    assert.ok(tries <= 50, `${tries} connections tried`);
    assert.equal(recorded.length, 201);
  },
);
