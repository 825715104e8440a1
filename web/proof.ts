import { useSyncExternalStore } from "react";

/**
 * Requests that wait until the user has confirmed their identity. `request` adds them, and the dialog of `proof-dialog.tsx` settles
 * all of them at once.
 */
type Settle = (isProved: boolean) => void;

let waiting: readonly Settle[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Settle[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

export const proof = {
  /** Resolves to whether the user confirmed. On a page without the dialog it resolves to false. */
  ask(): Promise<boolean> {
    if (listeners.size === 0) return Promise.resolve(false);
    return new Promise((resolve) => set([...waiting, resolve]));
  },
  /** Whether a request waits. */
  isWanted: (): boolean => waiting.length > 0,
  settle(isProved: boolean): void {
    const settled = waiting;
    set([]);
    for (const settle of settled) settle(isProved);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export const useProofWanted = (): boolean => useSyncExternalStore(proof.subscribe, proof.isWanted);
