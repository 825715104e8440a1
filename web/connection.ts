import { useSyncExternalStore } from "react";

/** Whether the service is unreachable, and whether the session has ended. `request` reports it, the frame shows it. */
export type Connection = { offline: boolean; signedOut: boolean };

let state: Connection = { offline: false, signedOut: false };
const listeners = new Set<() => void>();

export const connection = {
  get: (): Connection => state,
  set(change: Partial<Connection>): void {
    const next = { ...state, ...change };
    if (next.offline === state.offline && next.signedOut === state.signedOut) return;
    state = next;
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export const useConnection = () => useSyncExternalStore(connection.subscribe, connection.get);
