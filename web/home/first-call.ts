import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { EntriesView, RequestsView } from "#api/dashboard/shapes.ts";
import { queryKeys } from "../queries.ts";
import { request } from "../request.ts";

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

const FIRST_POLL_MS = 2_000;
const LAST_POLL_MS = 15_000;
/** So many polls come at the first pace: a user who goes to a terminal is back within a minute. */
const FAST_POLLS = 30;

/** The time before the next poll, after `polls` of them. */
export const pollAfter = (polls: number): number =>
  Math.min(LAST_POLL_MS, Math.round(FIRST_POLL_MS * 1.25 ** Math.max(0, polls - FAST_POLLS)));

export type FirstCall = SeenCalls & { isWaiting: boolean };

/**
 * Waits for the first successful call while `isActive`, the page is visible and none has come. `hadNone`: whether it is known that
 * there was none; otherwise the first response tells which calls are old.
 */
export function useFirstCall(props: {
  isActive: boolean;
  hasLog: boolean;
  hadNone: boolean;
}): FirstCall {
  const { isActive, hasLog, hadNone } = props;
  const client = useQueryClient();
  const [old, setOld] = useState<string | null | undefined>(hadNone ? null : undefined);
  const isNew = (call: SeenCall | null): boolean =>
    call !== null && old !== undefined && call.id !== old;
  const { data } = useQuery({
    queryKey: ["mine", "first-call"],
    queryFn: ({ signal }) => readCalls(hasLog, signal),
    enabled: isActive,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      isNew(state.data?.success ?? null)
        ? false
        : pollAfter(state.dataUpdateCount + state.errorUpdateCount),
  });
  if (data !== undefined && old === undefined) setOld(data.success?.id ?? null);
  const success = isNew(data?.success ?? null) ? (data?.success ?? null) : null;
  const hasSucceeded = success !== null;
  useEffect(() => {
    if (!hasSucceeded) return;
    for (const queryKey of [
      queryKeys.home,
      queryKeys.keys,
      queryKeys.allUsage,
      queryKeys.credits,
      queryKeys.entries,
    ]) {
      void client.invalidateQueries({ queryKey });
    }
  }, [client, hasSucceeded]);
  return { success, error: data?.error ?? null, isWaiting: isActive && !hasSucceeded };
}

async function readCalls(hasLog: boolean, signal: AbortSignal): Promise<SeenCalls> {
  if (!hasLog) {
    const path = "/dashboard/credits/entries";
    return seenInLedger(await request<EntriesView>("GET", path, undefined, signal));
  }
  return seenInLog(await request<RequestsView>("GET", "/dashboard/requests", undefined, signal));
}
