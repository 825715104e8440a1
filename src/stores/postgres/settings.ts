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
