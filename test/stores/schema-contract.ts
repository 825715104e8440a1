import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Ledger } from "#ledger/port.ts";
import { type Migration, SchemaMismatch, SchemaTooNew } from "#stores/schema/migrations.ts";
import { assertTotals, createFixture, type Fixture, START } from "../contract/ledger/fixture.ts";
import { CHANGED, COMPATIBLE, INCOMPATIBLE, sha256Of, TOO_NEW } from "./other-version.ts";

/** New data of a store, which releases with these migrations open in turn. */
export type OpenedSchema = {
  /** Its migrations in this release. */
  migrations: readonly Migration[];
  migrate(migrations: readonly Migration[]): Promise<void>;
  /** The ledger of data that was migrated so. */
  open(migrations: readonly Migration[]): Promise<{ ledger: Ledger; close(): unknown }>;
  rows(sql: string): Promise<unknown[][]>;
  write(sql: string): Promise<unknown>;
};

/** Upgrading, and going back by one release. */
export function schemaContract(
  store: string,
  openSchema: (t: TestContext) => Promise<OpenedSchema>,
): void {
  const rule = (title: string, check: (schema: Opened) => Promise<void>) =>
    test(title, async (t) => check(openedOf(await openSchema(t))));

  describe(`the schema of ${store}`, () => {
    rule(
      "migrations are recorded with their checksum and the oldest code that may use the data",
      async (schema) => {
        const { migrations, migrate, rows } = schema;
        const before = Date.now();
        await migrate(migrations);
        const newer = [...migrations, INCOMPATIBLE];
        await migrate(newer);
        const [version, columns] = ["version", "version, name, sha256, readable_from"];
        assert.deepEqual(
          await rows(`SELECT ${columns} FROM schema_migration ORDER BY ${version}`),
          newer.map((each, index) => [index + 1, each.name, sha256Of(each), each.readableFrom]),
        );
        const [[earliest]] = (await rows("SELECT min(applied_at) FROM schema_migration")) as [
          [unknown],
        ];
        assert.ok(Number(earliest) >= before && Number(earliest) <= Date.now());
      },
    );

    rule(
      "after a rollback from a compatible migration, and an upgrade again, calls continue and nothing is lost",
      async (schema) => {
        const { migrations, use, rows } = schema;
        const newer = [...migrations, COMPATIBLE];
        const account = await use(migrations, (fixture) => fixture.account("Ada", { credits: 9 }));
        for (const [turn, release] of [newer, migrations, newer, migrations].entries())
          await use(release, async (fixture) => {
            const call = { callId: `call_${turn}`, now: START + turn };
            assert.equal((await fixture.debit(account, call)).outcome, "debited");
            assert.equal(await fixture.balance(account), 8 - turn);
            await assertTotals(fixture.ledger, START + turn);
          });
        const versions = await rows("SELECT version FROM schema_migration");
        assert.equal(versions.length, newer.length);
      },
    );

    rule(
      "data that older code may not use is rejected with a message and left unchanged, and newer code continues with it",
      async (schema) => {
        const { migrations, migrate, use, rows } = schema;
        await use(migrations, async (fixture) => {
          const account = await fixture.account("Ada", { credits: 9 });
          await fixture.debit(account);
        });
        const newer = [...migrations, INCOMPATIBLE];
        await migrate(newer);
        const before = await rows("SELECT * FROM schema_migration ORDER BY version");
        await assert.rejects(
          migrate(migrations),
          (error) => error instanceof SchemaTooNew && TOO_NEW.test(error.message),
        );
        assert.deepEqual(await rows("SELECT * FROM schema_migration ORDER BY version"), before);
        await migrate(newer);
        const [[count, sum]] = (await rows("SELECT count(*), sum(credits) FROM credit_grant")) as [
          unknown[],
        ];
        assert.deepEqual([Number(count), Number(sum)], [1, 9]);
      },
    );

    rule("a migration that differs from the one that ran is rejected by name", async (schema) => {
      const { migrations, migrate } = schema;
      await migrate(migrations);
      const [initial, ...more] = migrations as [Migration, ...Migration[]];
      await assert.rejects(
        migrate([{ ...initial, sql: `${initial.sql}-- edited` }, ...more]),
        (error) => error instanceof SchemaMismatch && CHANGED.test(error.message),
      );
      await migrate(migrations);
    });

    rule("tables without recorded migrations are rejected and left unchanged", async (schema) => {
      const { migrations, migrate, rows, write } = schema;
      await migrate(migrations);
      await write("DROP TABLE schema_migration");
      await assert.rejects(migrate(migrations), /no record of migrations: a development version/);
      await assert.rejects(rows("SELECT 1 FROM schema_migration"), /schema_migration/);
    });

    rule("a migration that fails leaves the data and the record as they were", async (schema) => {
      const { migrations, migrate, rows } = schema;
      await migrate(migrations);
      const sql = `${COMPATIBLE.sql}; INSERT INTO no_such_table VALUES (1)`;
      await assert.rejects(migrate([...migrations, { ...COMPATIBLE, sql }]), /no_such_table/);
      const versions = await rows("SELECT version FROM schema_migration");
      assert.equal(versions.length, migrations.length);
      await assert.rejects(rows("SELECT note FROM account"), /note/);
    });
  });
}

type Opened = ReturnType<typeof openedOf>;

const openedOf = (schema: OpenedSchema) => ({
  ...schema,
  /** Migrates the data, and carries out a step on it. */
  async use<Result>(
    migrations: readonly Migration[],
    step: (fixture: Fixture) => Promise<Result>,
  ): Promise<Result> {
    await schema.migrate(migrations);
    const { ledger, close } = await schema.open(migrations);
    try {
      return await step(createFixture({ ledger }));
    } finally {
      await close();
    }
  },
});
