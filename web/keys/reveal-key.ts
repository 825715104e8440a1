import type { KeysView, KeyView } from "#api/dashboard/shapes.ts";

/** The label of the first key. It can be renamed later. */
export const FIRST_LABEL = "Development";

/** The newest key that was never used: its secret may never have arrived anywhere. */
export function findUnusedKey(keys: readonly KeyView[]): KeyView | null {
  const unused = keys.filter(isUnused).sort((a, b) => b.createdAt - a.createdAt);
  return unused[0] ?? null;
}

const isUnused = ({ revokedAt, lastUsedAt }: KeyView): boolean =>
  revokedAt === null && lastUsedAt === null;

type CreatedKey = { key: KeyView; secret: string };

/** `found`: a key that has never been used and was not known before. The user decides whether to replace its secret. */
export type Revealed = { created: CreatedKey } | { found: KeyView };

/**
 * Makes the first key, or gives an unused one a new secret, so that no key with an unknown secret is left behind: where the response
 * of an attempt was lost, the next attempt finds the key that it made and replaces its secret.
 */
export function createReveal(send: Send) {
  /** The keys before an attempt whose outcome is not known. */
  let before: ReadonlySet<string> | null = null;
  const replace = async ({ id }: KeyView): Promise<Revealed> => {
    const path = `/dashboard/keys/${encodeURIComponent(id)}/rotate`;
    return { created: await send<CreatedKey>("POST", path, { keepHours: 0 }) };
  };
  return async (replaced: KeyView | null): Promise<Revealed> => {
    if (replaced !== null) return replace(replaced);
    const { keys } = await send<KeysView>("GET", "/dashboard/keys");
    const known = before;
    const unused = findUnusedKey(keys);
    if (unused !== null && known === null) return { found: unused };
    const lost = keys.filter((key) => isUnused(key) && known?.has(key.id) === false);
    const [made] = lost.filter(({ label }) => label === FIRST_LABEL);
    if (made !== undefined) return replace(made);
    before = new Set(keys.map(({ id }) => id));
    try {
      const order = { label: FIRST_LABEL };
      const created = await send<CreatedKey>("POST", "/dashboard/keys", order);
      before = null;
      return { created };
    } catch (error) {
      if (isRejection(error)) before = null;
      throw error;
    }
  };
}

type Send = <T>(method: "GET" | "POST", path: string, body?: unknown) => Promise<T>;

/** Whether the service said that it made no key. */
const isRejection = (error: unknown): boolean =>
  error instanceof Error && "status" in error && Number(error.status) < 500;
