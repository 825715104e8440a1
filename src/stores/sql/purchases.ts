import type { Purchase, PurchaseStore, RevenueRow } from "#billing/purchase-store.ts";
import { DAY_MS } from "#limits.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { lastRows, readNumber, type SqlDatabase, type SqlQuery, sql } from "./sql-database.ts";

/** The store of purchases over a database. Each operation is one batch. */
export function createPurchaseStore(db: SqlDatabase): PurchaseStore {
  return {
    async add(purchase) {
      return { added: (await lastRows(db, insert(purchase))).length === 1 };
    },
    async update({ purchase, seen }) {
      return { updated: (await lastRows(db, write(purchase, seen))).length === 1 };
    },
    async find(order) {
      const [row] = await lastRows(
        db,
        sql`SELECT * FROM purchase WHERE ${isNamed(order)} ORDER BY created_at, id LIMIT 1`,
      );
      return row === undefined ? null : readPurchase(row);
    },
    async list({ account, after, max }) {
      const older =
        after === null
          ? sql`1 = 1`
          : sql`(created_at, id) < (
              SELECT created_at, id FROM purchase WHERE id = ${after} AND account = ${account})`;
      const rows = await lastRows(
        db,
        sql`SELECT * FROM purchase WHERE account = ${account} AND ${older}
            ORDER BY created_at DESC, id DESC LIMIT ${max}`,
      );
      return rows.map(readPurchase);
    },
    async listUnsettled({ account, kind }) {
      const rows = await lastRows(
        db,
        sql`SELECT * FROM purchase WHERE account = ${account} AND kind = ${kind}
              AND session IS NOT NULL AND (status IN ('open', 'pending')
                OR status = 'paid' AND grant_id IS NULL AND trouble IS NULL AND refunded < paid)
            ORDER BY created_at DESC, id DESC`,
      );
      return rows.map(readPurchase);
    },
    async listAll({ after, max }) {
      const { createdAt, id } = after ?? { createdAt: -1, id: "" };
      const rows = await lastRows(
        db,
        sql`SELECT * FROM purchase WHERE (created_at, id) > (${createdAt}, ${id})
            ORDER BY created_at, id LIMIT ${max}`,
      );
      return rows.map(readPurchase);
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

function insert({ offer, ...it }: Purchase): SqlQuery {
  return sql`INSERT INTO purchase
      (id, account, created_at, offer, kind, name, credits, months, price, currency, session, payment,
       status, paid_at, paid, refunded, refunded_at, dispute, pay_url, receipt_url, invoice_url,
       grant_id, voided, spent, trouble, updated_at)
    VALUES (${it.id}, ${it.account}, ${it.createdAt}, ${offer.id}, ${offer.kind}, ${offer.name},
      ${offer.credits}, ${offer.months}, ${it.price}, ${it.currency}, ${it.session}, ${it.payment},
      ${it.status}, ${it.paidAt}, ${it.paid}, ${it.refunded}, ${it.refundedAt}, ${it.dispute},
      ${it.payUrl}, ${it.receiptUrl}, ${it.invoiceUrl}, ${it.grant}, ${it.voided}, ${it.spent},
      ${it.trouble}, ${it.updatedAt})
    ON CONFLICT (id) DO NOTHING RETURNING id`;
}

/** The account, the offer and the price of a purchase never change. */
function write(it: Purchase, seen: number): SqlQuery {
  return sql`UPDATE purchase SET
      session = ${it.session}, payment = ${it.payment}, status = ${it.status},
      paid_at = ${it.paidAt}, paid = ${it.paid}, refunded = ${it.refunded},
      refunded_at = ${it.refundedAt}, dispute = ${it.dispute}, pay_url = ${it.payUrl},
      receipt_url = ${it.receiptUrl}, invoice_url = ${it.invoiceUrl}, grant_id = ${it.grant},
      voided = ${it.voided}, spent = ${it.spent},
      trouble = ${it.trouble}, updated_at = ${it.updatedAt}
    WHERE id = ${it.id} AND updated_at = ${seen} RETURNING id`;
}

const textOf = (value: SqlRow[string] | undefined) => (value ?? null) as string | null;

const readPurchase = (row: SqlRow): Purchase => ({
  id: row["id"] as string,
  account: row["account"] as string,
  createdAt: Number(row["created_at"]),
  offer: {
    id: row["offer"] as string,
    kind: row["kind"] as Purchase["offer"]["kind"],
    name: row["name"] as string,
    credits: Number(row["credits"]),
    months: readNumber(row["months"]),
  },
  price: Number(row["price"]),
  currency: row["currency"] as string,
  session: textOf(row["session"]),
  payment: textOf(row["payment"]),
  status: row["status"] as Purchase["status"],
  paidAt: readNumber(row["paid_at"]),
  paid: Number(row["paid"]),
  refunded: Number(row["refunded"]),
  refundedAt: readNumber(row["refunded_at"]),
  dispute: row["dispute"] as Purchase["dispute"],
  payUrl: textOf(row["pay_url"]),
  receiptUrl: textOf(row["receipt_url"]),
  invoiceUrl: textOf(row["invoice_url"]),
  grant: textOf(row["grant_id"]),
  voided: Number(row["voided"]),
  spent: Number(row["spent"]),
  trouble: row["trouble"] as Purchase["trouble"],
  updatedAt: Number(row["updated_at"]),
});

const readRevenue = (row: SqlRow): RevenueRow => ({
  day: Number(row["day"]),
  currency: row["currency"] as string,
  purchases: Number(row["purchases"]),
  paid: Number(row["paid"]),
  refunds: Number(row["refunds"]),
  refunded: Number(row["refunded"]),
});
