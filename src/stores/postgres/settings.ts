import { DATABASE_CLOCK } from "./database-clock.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * Returns the secret of a fleet without the setting SECRET, which is stored in the database so that all nodes agree. If several
 * nodes start at once, one of them creates it. Null if there is none although there are keys: then the nodes had the setting, and
 * would reject every key with a new secret.
 */
export async function keepSecret(
  { together }: PostgresPool,
  make: () => string,
): Promise<string | null> {
  const [, rows] = await together<{ value: string }>("write", [
    // A secret is base62: nothing in it needs escaping, and it is never logged.
    `INSERT INTO setting (name, value) SELECT 'secret', '${make()}'
       WHERE NOT EXISTS (SELECT 1 FROM api_key) ON CONFLICT DO NOTHING`,
    "SELECT value FROM setting WHERE name = 'secret'",
  ]);
  return (rows as { value: string }[])[0]?.value ?? null;
}

export async function findSecret({ once }: PostgresPool): Promise<string | null> {
  const [row] = await once<{ value: string }>(
    "read",
    "SELECT value FROM setting WHERE name = 'secret'",
  );
  return row?.value ?? null;
}

/** What a node serves: for each tool's name, a hash of its definition. */
export type ToolPrints = Readonly<Record<string, string>>;

/** Nodes that serve the same share a row, whose name ends in a hash of what they serve. */
const ROW_NAMES = "tools:";

type Said = { saidAt: number; tools: ToolPrints };

/**
 * Says in the table `setting` that a node serves these tools, and returns what nodes with others have said within `liveMs`, by the
 * database's clock. What was said before is deleted. `print`: a hash of `tools`.
 */
export const exchangeTools = (
  { transaction }: Pick<PostgresPool, "transaction">,
  { print, tools, liveMs }: { print: string; tools: ToolPrints; liveMs: number },
): Promise<ToolPrints[]> =>
  transaction("write", async (query) => {
    const [clocks] = await query<{ clock: number }>(DATABASE_CLOCK);
    const now = clocks?.clock ?? 0;
    const mine = ROW_NAMES + print;
    const said: Said = { saidAt: now, tools };
    await query(
      "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [mine, JSON.stringify(said)],
    );
    const rows = await query<{ name: string; value: string }>(
      "SELECT name, value FROM setting WHERE name LIKE $1 AND name <> $2 ORDER BY name",
      [`${ROW_NAMES}%`, mine],
    );
    const others = rows.map((row) => ({ ...row, ...(JSON.parse(row.value) as Said) }));
    const isLive = ({ saidAt }: Said) => saidAt >= now - liveMs;
    for (const { name, value } of others.filter((each) => !isLive(each)))
      await query(FORGET_SAID, [name, value]);
    return others.filter(isLive).map((each) => each.tools);
  });

/** Except for what a node is just saying again: the two could wait for each other. */
const FORGET_SAID = `DELETE FROM setting WHERE name IN
  (SELECT name FROM setting WHERE name = $1 AND value = $2 FOR UPDATE SKIP LOCKED)`;
