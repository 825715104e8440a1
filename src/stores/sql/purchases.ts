import {
  type Purchase,
  type PurchaseStore,
  type RevenueRow,
  recordToPurchase,
} from "#billing/purchase-store.ts";
import type { RecordOf } from "#ledger/transfer/records.ts";
import { DAY_MS } from "#limits.ts";
import { insertSql, type SqlRow, type SqlValue } from "../sqlite/driver.ts";
import { lastRows, readNumber, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";
import { numbers, type RecordColumn, texts } from "./transfer-table.ts";

/** The store of purchases over a database. Each operation is one batch. */
export function createPurchaseStore(db: SqlDatabase): PurchaseStore {
  const select = async (which: SqlQuery): Promise<Purchase[]> =>
    (await lastRows(db, sql`SELECT * FROM purchase WHERE ${which}`)).map(readPurchase);
  return {
    async add(purchase) {
      return { added: (await lastRows(db, insert(purchase))).length === 1 };
    },
    async update({ purchase, seen }) {
      return { updated: (await lastRows(db, write(purchase, seen))).length === 1 };
    },
    async find(order) {
      const [found = null] = await select(sql`${isNamed(order)} ORDER BY created_at, id LIMIT 1`);
      return found;
    },
    async list({ account, after, max }) {
      const older =
        after === null
          ? sql`1 = 1`
          : sql`(created_at, id) < (
              SELECT created_at, id FROM purchase WHERE id = ${after} AND account = ${account})`;
      return select(
        sql`account = ${account} AND ${older} ORDER BY created_at DESC, id DESC LIMIT ${max}`,
      );
    },
    listUnsettled: ({ account, kind }) =>
      select(sql`account = ${account} AND kind = ${kind}
          AND session IS NOT NULL AND (status IN ('open', 'pending')
            OR status = 'paid' AND grant_id IS NULL AND trouble IS NULL AND refunded < paid)
        ORDER BY created_at DESC, id DESC`),
    async listAll({ after, max }) {
      const { createdAt, id } = after ?? { createdAt: -1, id: "" };
      return select(sql`(created_at, id) > (${createdAt}, ${id})
        ORDER BY created_at, id LIMIT ${max}`);
    },
    async revenue({ from, to }) {
      // While a dispute is open, and after it was lost, the whole payment counts as refunded.
      const returned = sql`CASE WHEN dispute IN ('open', 'lost') THEN paid ELSE refunded END`;
      const rows = await lastRows(
        db,
        sql`SELECT day, currency, sum(purchases) AS purchases, sum(paid) AS paid,
              sum(refunds) AS refunds, sum(refunded) AS refunded
            FROM (
              SELECT paid_at - paid_at % ${DAY_MS} AS day, currency, 1 AS purchases, paid,
                0 AS refunds, 0 AS refunded
              FROM purchase WHERE paid_at >= ${from} AND paid_at < ${to}
              UNION ALL
              SELECT refunded_at - refunded_at % ${DAY_MS}, currency, 0, 0, 1, ${returned}
              FROM purchase WHERE refunded_at >= ${from} AND refunded_at < ${to} AND ${returned} > 0
            ) AS moves
            GROUP BY day, currency ORDER BY day, currency`,
      );
      return rows.map(readRevenue);
    },
  };
}

function isNamed(order: { id: string } | { session: string } | { payment: string }): SqlQuery {
  if ("id" in order) return sql`id = ${order.id}`;
  return "session" in order ? sql`session = ${order.session}` : sql`payment = ${order.payment}`;
}

/** The column of each member of a purchase, as records of an export have them. */
export const PURCHASE_COLUMNS: Record<
  Exclude<keyof RecordOf<"purchase">, "record">,
  RecordColumn
> = {
  ...texts("id", "account"),
  ...numbers("createdAt"),
  ...texts("offer", "kind", "name"),
  ...numbers("credits", "months", "price"),
  ...texts("currency", "session", "payment", "status"),
  ...numbers("paidAt", "paid", "refunded", "refundedAt"),
  ...texts("dispute", "payUrl", "receiptUrl", "invoiceUrl"),
  grant: { column: "grant_id", type: "text" },
  ...numbers("voided", "spent"),
  ...texts("trouble"),
  ...numbers("updatedAt"),
};
const COLUMNS = Object.entries(PURCHASE_COLUMNS);
/** The account, the offer and the price of a purchase never change. */
const CHANGING = COLUMNS.slice(COLUMNS.findIndex(([member]) => member === "session"));

const valuesOf = (columns: typeof COLUMNS, { offer, ...purchase }: Purchase): SqlValue[] => {
  const { id, ...terms } = offer;
  const members = new Map<string, SqlValue>(Object.entries({ ...purchase, ...terms, offer: id }));
  return columns.map(([member]) => members.get(member) ?? null);
};

function insert(purchase: Purchase): SqlQuery {
  const columns = COLUMNS.map(([, { column }]) => column).join(", ");
  return {
    sql: insertSql("purchase", columns, 1, "ON CONFLICT (id) DO NOTHING RETURNING id"),
    values: valuesOf(COLUMNS, purchase),
  };
}

function write(purchase: Purchase, seen: number): SqlQuery {
  const sets = CHANGING.map(([, { column }]) => `${column} = ?`).join(", ");
  return {
    sql: `UPDATE purchase SET ${sets} WHERE id = ? AND updated_at = ? RETURNING id`,
    values: [...valuesOf(CHANGING, purchase), purchase.id, seen],
  };
}

function readPurchase(row: SqlRow): Purchase {
  const members = COLUMNS.map(([member, { column, type }]) => [
    member,
    type === "number" ? readNumber(row[column]) : (row[column] ?? null),
  ]);
  return recordToPurchase(Object.fromEntries(members));
}

const readRevenue = (row: SqlRow): RevenueRow => ({
  day: Number(row["day"]),
  currency: row["currency"] as string,
  purchases: Number(row["purchases"]),
  paid: Number(row["paid"]),
  refunds: Number(row["refunds"]),
  refunded: Number(row["refunded"]),
});
