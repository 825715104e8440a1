import { useSyncExternalStore } from "react";

/**
 * Requests that wait until the user has confirmed their identity. `request` adds them, and the dialog of `proof-dialog.tsx`
 * answers all of them at once.
 */
type Answer = (isProved: boolean) => void;

let waiting: readonly Answer[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Answer[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

export const proof = {
  /** Resolves to whether the user confirmed. On a page without the dialog nobody can, so it resolves to false. */
  ask(): Promise<boolean> {
    if (listeners.size === 0) return Promise.resolve(false);
    return new Promise((resolve) => set([...waiting, resolve]));
  },
  answer(isProved: boolean): void {
    const answers = waiting;
    set([]);
    for (const answer of answers) answer(isProved);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** Whether a request waits. */
export const useProofWanted = (): boolean =>
  useSyncExternalStore(proof.subscribe, () => waiting.length > 0);
