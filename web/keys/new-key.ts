import { useSyncExternalStore } from "react";

/**
 * The key that was created on this page, so that the first-call guide can show it until the page is closed or loaded
 * anew. It lives in this variable alone: never in storage, an address or a log.
 */
export type NewKey = { account: string; id: string; label: string; secret: string };

let newest: NewKey | null = null;
const listeners = new Set<() => void>();

export function rememberNewKey(key: NewKey): void {
  newest = key;
  for (const listener of listeners) listener();
}

/** After signing out, or with an id where that key was revoked. */
export function forgetNewKey(id?: string): void {
  if (newest === null || (id !== undefined && newest.id !== id)) return;
  newest = null;
  for (const listener of listeners) listener();
}

/** Only for the account that created it: another person may sign in on the same page. */
export function useNewKey(account: string | undefined): NewKey | null {
  const key = useSyncExternalStore(subscribe, () => newest);
  return key !== null && key.account === account ? key : null;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
