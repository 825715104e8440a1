import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { OPEN_GRANT } from "#stores/ledger/row-columns.ts";
import { literalOf } from "#stores/postgres/literals.ts";
import {
  ACCOUNT_COLUMNS,
  CALL_KEY_COLUMNS,
  type PackedRow,
  packed,
  unpack,
} from "#stores/postgres/packed-rows.ts";
import { postgresCalls } from "#stores/schema/postgres-calls.ts";
import { EXPIRY_SQL } from "#stores/sql/grant-sql.ts";
import type { SqlRow } from "#stores/sqlite/driver.ts";
import { hooksOfSuite, type Node, openOnly } from "./fixture.ts";

/** Parses rows that PostgreSQL itself writes as text. */
let node: Node;
describe("rows that PostgreSQL packs as text", () => {
  const hooks = hooksOfSuite();
  before(async () => {
    node = await openOnly(hooks);
  });

  const TEXTS = [
    ...["plain", "", null, "a b", "null", "NULL", "\\N", "ünï", "🙂", " "],
    ...['"', '""', 'q"u"', "\\", "\\\\", '\\"', "back\\slash"],
    ...[",", "com,ma", "(", ")", "(paren)", "{a}", "new\nline", "\n", ")\n(", "\t", "\r\n"],
  ];

  async function read<Row>(sql: string, row: (row: PackedRow) => Row): Promise<Row[]> {
    return unpack(await node.pool.once<SqlRow>("read", packed(sql)), row);
  }

  test("texts are read unchanged, whatever they contain", async () => {
    const pairs = TEXTS.flatMap((one) => TEXTS.map((other) => [one, other] as const));
    const values = pairs.map(
      ([one, other], place) => `(${place}, ${literalOf(one)}, ${literalOf(other)})`,
    );
    const sql = `SELECT * FROM (VALUES ${values.join(", ")}) v (place, one, other) ORDER BY place`;
    const rows = await read(sql, (row) => [row.number(), row.textOrNull(), row.textOrNull()]);
    assert.deepEqual(
      rows,
      pairs.map(([one, other], place) => [place, one, other]),
    );
  });

  test("whole numbers are read exactly, including negative ones", async () => {
    const numbers = [
      0,
      1,
      -1,
      42,
      1_763_000_000_000,
      Number.MAX_SAFE_INTEGER,
      -Number.MAX_SAFE_INTEGER,
    ];
    const values = numbers.map((number) => `(${number}::bigint, NULL::bigint)`).join(", ");
    const rows = await read(`SELECT * FROM (VALUES ${values}) v`, (row) => [
      row.number(),
      row.numberOrNull(),
    ]);
    assert.deepEqual(
      rows,
      numbers.map((number) => [number, null]),
    );
  });

  test("no rows are none", async () => {
    assert.deepEqual(await read("SELECT 1 WHERE false", (row) => row.number()), []);
  });

  test("the function that loads calls has the columns that are read, because it is a migration and does not follow them", () => {
    const loads = postgresCalls.replaceAll(/\s+/g, " ");
    for (const columns of [
      `SELECT ${ACCOUNT_COLUMNS} FROM account`,
      `SELECT ${CALL_KEY_COLUMNS}, g.* FROM`,
    ])
      assert.ok(loads.includes(columns), columns);
    assert.ok(loads.includes(`SELECT ${OPEN_GRANT.columns} FROM credit_grant`));
    assert.ok(loads.includes(`ORDER BY ${EXPIRY_SQL}, granted_at, no LIMIT grants_max`));
  });
});
