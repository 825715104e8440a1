import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { EntriesView, RequestsView } from "#api/dashboard/shapes.ts";
import { nextPollMs } from "../parts/poll-pace.ts";
import { queryKeys } from "../queries.ts";
import { request } from "../request.ts";
import { type SeenCall, type SeenCalls, seenInLedger, seenInLog } from "./seen-calls.ts";

/** A user who goes to a terminal is back within a minute. */
const QUICK_POLLS = 30;

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
        : nextPollMs(state.dataUpdateCount + state.errorUpdateCount, QUICK_POLLS),
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
