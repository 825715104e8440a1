/**
 * What the pages know of the way to the service: whether it can be reached, and whether the session has ended meanwhile.
 * `ask` reports here, the frame shows it.
 */
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
