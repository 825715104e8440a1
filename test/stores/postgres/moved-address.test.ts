import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createPostgresDirectory } from "#stores/postgres/directory.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { PATIENT } from "./faults/fixture.ts";
import { newDatabase } from "./fixture.ts";

/** A user moves to another address while the account is closed: from `users` to `address`, and the other way. */
const USER = `INSERT INTO users (id, name, email, "emailVerified", "createdAt", "updatedAt", account)
  VALUES ('ada', 'Ada', 'ada@example.com', true, now(), now(), 'acc_Ada')`;
const MOVE = "UPDATE users SET email = 'new@example.com' WHERE id = 'ada'";
/** Each transaction pauses after it has locked its first row. */
const SLOW = `
  CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $f$;
  CREATE TRIGGER a_slow AFTER UPDATE OF email ON users FOR EACH ROW EXECUTE FUNCTION slow();
  CREATE TRIGGER a_slow AFTER DELETE ON address FOR EACH ROW EXECUTE FUNCTION slow()`;

test(
  "closing an account while its user changes the address does not deadlock, and leaves no address",
  PATIENT,
  async (t) => {
    const pool = openPostgresPool(await newDatabase(), { max: 4 });
    t.after(() => pool.close());
    const { directory } = createPostgresDirectory(pool);
    await pool.once("write", SLOW);
    for (const pauseMs of [0, 50, 150]) {
      await directory.register({ email: "ada@example.com", account: "acc_Ada", createdAt: 1 });
      await pool.once("write", USER);
      const moving = pool.statement("write", MOVE, []);
      await wait(pauseMs);
      const closing = directory.forget({
        account: "acc_Ada",
        emailHash: `hash ${pauseMs}`,
        now: 2,
      });
      await moving;
      assert.deepEqual(await closing, { found: true }, `after ${pauseMs} ms`);
      for (const table of ["users", "address"])
        assert.deepEqual(await pool.once("read", `SELECT 1 FROM ${table}`), [], table);
    }
    const [seen] = await pool.once<{ deadlocks: number }>(
      "read",
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
    );
    assert.equal(seen?.deadlocks, 0);
  },
);
