import { useSyncExternalStore } from "react";

/**
 * The key that was last created on this page. The call guide shows it until the page is closed or reloaded.
 * It is kept in memory only, never in storage, a URL or a log.
 */
export type NewKey = { account: string; id: string; label: string; secret: string };

let newest: NewKey | null = null;
const listeners = new Set<() => void>();

export function rememberNewKey(key: NewKey): void {
  newest = key;
  for (const listener of listeners) listener();
}

/** Forgets the key with this id, after it was revoked; without an id, any key, after signing out. */
export function forgetNewKey(id?: string): void {
  if (newest === null || (id !== undefined && newest.id !== id)) return;
  newest = null;
  for (const listener of listeners) listener();
}

/** Returns the key only to the account that created it, because another user may sign in on the same page. */
export function useNewKey(account: string | undefined): NewKey | null {
  const key = useSyncExternalStore(subscribe, () => newest);
  return key !== null && key.account === account ? key : null;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
