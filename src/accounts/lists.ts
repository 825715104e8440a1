import { NotCarriedOut } from "#ledger/port.ts";

/**
 * The lists that passwords and addresses are checked against are large and rarely needed, so each runtime hands in how it reads
 * them. This reads one when it is first needed, and keeps it.
 *
 * Rejects with `NotCarriedOut` where the list cannot be read: a password or an address that was not checked is not accepted. The
 * next caller tries again. Concurrent callers each read it, because on Cloudflare one request may not wait for another's promise.
 */
export function keepList<List>(name: string, read: () => Promise<List>): () => Promise<List> {
  let kept: { list: List } | null = null;
  return async () => {
    kept ??= { list: await read().catch((cause) => fail(name, cause)) };
    return kept.list;
  };
}

function fail(name: string, cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new NotCarriedOut(`The list of ${name} could not be read: ${reason}`, { cause });
}
