import type { EntriesView, RequestsView } from "#api/dashboard/shapes.ts";

/** A call as the service saw it. `id`: unique for the account; `requestId`: of the request log, null without one. */
export type SeenCall = {
  id: string;
  requestId: string | null;
  at: number;
  tool: string;
  status: number;
  /** The error code; null for a success. */
  code: string | null;
};

/** The newest call that succeeded, and the newest one since that did not. */
export type SeenCalls = { success: SeenCall | null; error: SeenCall | null };

/** Calls of the request log, newest first. */
export function seenInLog({ requests }: Pick<RequestsView, "requests">): SeenCalls {
  const calls = requests.map(({ id, cursor, at, tool, status, code }) => {
    const call: SeenCall = { id: cursor, requestId: id, at, tool, status, code };
    return call;
  });
  const success = calls.find(({ status }) => status < 400) ?? null;
  const [newest = null] = calls;
  return { success, error: newest !== null && newest.status >= 400 ? newest : null };
}

/** Without a request log, only calls that were charged, or free, are known: all of them succeeded. */
export function seenInLedger({ entries }: Pick<EntriesView, "entries">): SeenCalls {
  const entry = entries.find(({ calls, tool }) => calls !== null && tool !== null);
  if (entry === undefined) return { success: null, error: null };
  const { id, at, tool } = entry;
  const success: SeenCall = {
    ...{ id, requestId: null, at, tool: tool ?? "", status: 200, code: null },
  };
  return { success, error: null };
}
