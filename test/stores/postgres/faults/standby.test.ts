import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { NotCarriedOut } from "#ledger/port.ts";
import {
  isLost,
  isPassing,
  isPlain,
  isReadOnly,
  NotReplicated,
  OutOfReach,
  orderFault,
  StatementRejected,
} from "#stores/postgres/faults.ts";
import { explainDatabase } from "../../../../src/apps/node/database-startup.ts";
import { assertTotals, START } from "../../../contract/ledger/fixture.ts";
import { copyFolder, startPostgres } from "../../../support/postgres.ts";
import { openFaulty, ownServer, PATIENT, settled } from "./fixture.ts";

/** A server that is a standby, and one whose synchronous standby is missing. */
const said = (code: string, message: string, routine = "errmsg") =>
  Object.assign(new Error(message), { code, severity: "ERROR", routine });

test("a write that a standby rejects is retried in any language, and the connection is closed", () => {
  const standby = "cannot set transaction read-write mode during recovery";
  for (const fault of [
    said("25006", "cannot execute INSERT in a read-only transaction"),
    said("0A000", standby),
    said("0A000", standby, "call_bool_check_hook"),
    said("0A000", "Schreiben geht hier nicht", "call_bool_check_hook"),
  ]) {
    const kinds = [isReadOnly, isPassing, isPlain, isLost].map((is) => is(fault));
    assert.deepEqual(kinds, [true, true, false, false], fault.message);
    assert.ok(orderFault(fault) instanceof NotCarriedOut);
    assert.ok(!(orderFault(fault) instanceof StatementRejected));
    assert.match(explainDatabase(fault), /it is a standby/);
  }
});

test("any other unsupported feature is a rejected statement", () => {
  for (const fault of [
    said("0A000", "cannot use serializable mode in a hot standby", "call_enum_check_hook"),
    said("0A000", "WHERE CURRENT OF is not supported for this table type"),
  ]) {
    const kinds = [isReadOnly, isPassing, isPlain, isLost].map((is) => is(fault));
    assert.deepEqual(kinds, [false, false, true, false], fault.message);
    assert.ok(orderFault(fault) instanceof StatementRejected);
  }
});

/** The same data on another server that takes no writes until it is promoted. */
async function openStandby(t: TestContext) {
  const faulty = await ownServer();
  const fixture = await openFaulty(t, { server: faulty });
  const account = await fixture.account("Ada", { credits: 50 });
  await faulty.server.stop("fast");
  const folder = copyFolder(faulty.server.folder, "standby.signal");
  const standby = await startPostgres({}, { folder });
  t.after(() => standby.dispose());
  await faulty.server.start();
  fixture.network.leadTo(standby.port);
  fixture.network.cut();
  const url = new URL(fixture.direct);
  url.port = String(standby.port);
  async function promote(): Promise<void> {
    const session = new pg.Client({ connectionString: url.href });
    await session.connect();
    await session.query("SELECT pg_promote()");
    await session.end();
  }
  return { ...fixture, account, promote };
}

test(
  "a node on a standby rejects orders as not carried out, and recovers when the standby is promoted",
  PATIENT,
  async (t) => {
    const fixture = await openStandby(t);
    const { account, ledger } = fixture;
    const faults = [
      await settled(fixture.pool.once("write", "SELECT 1")),
      await settled(fixture.pool.transaction("write", async (query) => query("SELECT 1"))),
      await settled(fixture.pool.statement("write", "SELECT 1", [])),
    ];
    for (const fault of faults) assert.ok(isReadOnly(fault), String(fault));
    const orders = [
      fixture.debit(account),
      fixture.grant(account, "gift", 5),
      ledger.probe({ now: START }),
    ];
    for (const fault of await Promise.all(orders.map((order) => settled<unknown>(order)))) {
      assert.ok(fault instanceof NotCarriedOut, String(fault));
      assert.ok(
        !(fault instanceof StatementRejected || fault instanceof OutOfReach),
        String(fault),
      );
    }
    assert.equal(await fixture.balance(account), 50, "it may be read");
    await fixture.promote();
    assert.equal((await fixture.debit(account)).outcome, "debited");
    assert.equal((await assertTotals(ledger, START)).totals.debited, 1);
  },
);

type Fixture = Awaited<ReturnType<typeof openFaulty>>;

/** A setting that a session shows may not apply to commits yet, because another server process passes it on. */
async function untilCommitsWait(fixture: Fixture): Promise<void> {
  const [trial, session] = [await fixture.openSession(), await fixture.openSession()];
  const pid = (await trial.query("SELECT pg_backend_pid() AS pid")).rows[0].pid;
  const cancel =
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid = $1";
  for (let hasWaited = false; !hasWaited; ) {
    let isOver = false;
    const commit = trial
      .query("INSERT INTO setting VALUES (gen_random_uuid()::text, '')")
      .finally(() => {
        isOver = true;
      });
    while (!isOver) {
      if ((await session.query(cancel, [pid])).rows.length > 0) hasWaited = true;
      await wait(5);
    }
    await commit;
  }
  await Promise.all([trial.end(), session.end()]);
}

/** From now on, commits wait for a missing standby, until `comeBack`. */
async function loseStandby(t: TestContext, fixture: Fixture) {
  const session = await fixture.openSession();
  const set = async (names: string) => {
    await session.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await session.query("SELECT pg_reload_conf()");
    while (
      (await session.query("SHOW synchronous_standby_names")).rows[0].synchronous_standby_names !==
      names
    )
      await wait(5);
  };
  t.after(async () => {
    await set("");
    await session.end();
  });
  const lose = async () => {
    await set("gone");
    await untilCommitsWait(fixture);
  };
  await lose();
  const WAITING = `FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()`;
  return {
    /** Resolves with the waiting backends once there is at least one. */
    async waiting(): Promise<number[]> {
      for (;;) {
        const { rows } = await session.query<{ pid: number }>(`SELECT pid ${WAITING}`);
        if (rows.length > 0) return rows.map(({ pid }) => pid);
        await wait(5);
      }
    },
    end: (how: "cancel" | "terminate", pids: number[]) =>
      session.query(`SELECT pg_${how}_backend(pid) FROM unnest($1::int[]) pid`, [pids]),
    lose,
    comeBack: () => set(""),
  };
}

for (const how of ["cancel", "terminate"] as const) {
  test(
    `a commit that is cancelled while it waits for its standby (${how}) is acknowledged only when it is safe`,
    PATIENT,
    async (t) => {
      const fixture = await openFaulty(t, { server: await ownServer() });
      const account = await fixture.account("Ada", { credits: 50 });
      const standby = await loseStandby(t, fixture);
      let told: unknown = null;
      const gift = { id: "gift", kind: "operator", amount: 5, expiresAt: null } as const;
      const orders: [() => Promise<unknown>, unknown][] = [
        [() => fixture.debit(account), { outcome: "debited", charged: 1, balance: 49 }],
        [
          () => fixture.ledger.grant({ ...gift, account, now: START }),
          {
            outcome: "already_granted",
            grant: { ...gift, remaining: 5, grantedAt: START, waivedExpiresAt: null },
          },
        ],
        [
          () =>
            fixture.ledger.openAccount({ account: "acct_other", freeCall: "withheld", now: START }),
          { opened: false },
        ],
      ];
      for (const [order, expected] of orders) {
        told = null;
        const outcome = settled<unknown>(order()).then((each) => {
          told = each;
        });
        const first = await standby.waiting();
        await standby.end(how, first);
        // The node looks up the outcome; the response waits for the standby too.
        while (!(await standby.waiting()).some((pid) => !first.includes(pid))) await wait(5);
        assert.equal(told, null);
        await standby.comeBack();
        await outcome;
        assert.deepEqual(told, expected);
        await standby.lose();
      }
      await standby.comeBack();
      const { totals } = await assertTotals(fixture.ledger, START);
      assert.deepEqual([totals.debited, await fixture.balance(account)], [1, 54]);
    },
  );
}

test("a write that only the primary has is not acknowledged", PATIENT, async (t) => {
  const fixture = await openFaulty(t, { server: await ownServer() });
  const standby = await loseStandby(t, fixture);
  const asks = [
    () => fixture.pool.once("write", "INSERT INTO setting VALUES ('one', '1')"),
    () =>
      fixture.pool.transaction("write", (query) =>
        query("INSERT INTO setting VALUES ('two', '2')"),
      ),
    () => fixture.pool.statement("write", "INSERT INTO setting VALUES ($1, '3')", ["three"]),
  ];
  for (const ask of asks) {
    const outcome = settled<unknown>(ask());
    await standby.end("cancel", await standby.waiting());
    assert.ok((await outcome) instanceof NotReplicated, String(await outcome));
  }
});
