import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { AuthContext, BetterAuthPlugin } from "better-auth";

/**
 * A better-auth plugin that stores only the SHA-256 of session tokens. better-auth has no option for this, so the plugin replaces
 * the methods of its database adapter: a token is hashed on its way to the database, and a row that was found by its token gets the
 * token back, because better-auth writes it to the cookie.
 *
 * A list of sessions has the hashes. Deleting accepts them, so that a listed session can be ended. `findOne`, by which better-auth
 * finds the session of a cookie, does not: a hash from a copy of the database opens no session.
 */
export const hashedSessions = (): BetterAuthPlugin => ({
  id: "hashed-sessions",
  // In place, because better-auth has registered its check of the tables for this object.
  init: ({ adapter }) => void Object.assign(adapter, hashing({ ...adapter })),
});

type Adapter = AuthContext["adapter"];
type Where = NonNullable<Parameters<Adapter["findMany"]>[0]["where"]>;

const HASHED = /^sha256:[0-9a-f]{64}$/;
const hashToken = (token: string) =>
  `sha256:${bytesToHex(sha256(new TextEncoder().encode(token)))}`;

function hashing(inner: Adapter): Partial<Adapter> {
  return {
    async create(order) {
      const { token } = order.data as { token?: unknown };
      if (order.model !== "session" || typeof token !== "string") return inner.create(order);
      const created = await inner.create({
        ...order,
        data: { ...order.data, token: hashToken(token) },
      });
      return { ...(created as object), token } as never;
    },
    async findOne(order) {
      const { where, restore } = prepare(order);
      return restore(await inner.findOne({ ...order, where })) as never;
    },
    async findMany(order) {
      // Before better-auth deletes a row, it looks it up like this.
      const { where, restore } = prepare(order, HASHED);
      const rows = await inner.findMany({ ...order, where });
      return rows.map(restore) as never;
    },
    async update(order) {
      const { where, restore } = prepare(order);
      return restore(await inner.update({ ...order, where })) as never;
    },
    async updateMany(order) {
      return inner.updateMany({ ...order, where: prepare(order).where });
    },
    async count(order) {
      return inner.count({ ...order, where: prepare(order).where });
    },
    async delete(order) {
      return inner.delete({ ...order, where: prepare(order, HASHED).where });
    },
    async deleteMany(order) {
      return inner.deleteMany({ ...order, where: prepare(order, HASHED).where });
    },
  };
}

/**
 * Hashes the tokens in the conditions of an order. `restore` puts the token back into a row that was found by it. Values that match
 * `hashed` count as hashes already.
 */
function prepare(
  { model, where = [] }: { model: string; where?: Where | undefined },
  hashed?: RegExp,
): { where: Where; restore<Row>(row: Row): Row } {
  const tokens = new Map<unknown, string>();
  if (model !== "session") return { where, restore: (row) => row };
  const hash = (value: unknown) => {
    if (typeof value !== "string" || hashed?.test(value)) return value;
    tokens.set(hashToken(value), value);
    return hashToken(value);
  };
  return {
    where: where.map((condition) => {
      const { field, value } = condition;
      if (field !== "token") return condition;
      return { ...condition, value: Array.isArray(value) ? value.map(hash) : hash(value) } as never;
    }),
    restore(row) {
      const token = tokens.get((row as { token?: unknown } | null)?.token);
      return token === undefined ? row : { ...row, token };
    },
  };
}
