import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { RequestSummaryView, RequestsView } from "#api/dashboard/shapes.ts";
import { pollUntilBack, queryKeys, queryOf, useResponse } from "../queries.ts";
import { request } from "../request.ts";
import { type Pages, withNewest } from "./new-requests.ts";

/** The log is read again this often while the page is visible. */
const POLL_MS = 4_000;
/** Percentiles change slowly, and cost more to read. */
const SUMMARY_POLL_MS = 20_000;

const PATH = "/dashboard/requests";

const pathWith = (path: string, query: string, name = "", value: string | null = null): string => {
  const all = new URLSearchParams(query);
  if (value !== null) all.set(name, value);
  const text = all.toString();
  return text === "" ? path : `${path}?${text}`;
};

/**
 * The requests that match `query`, newest first, and those that came since. The new ones are kept apart until `showNew`,
 * so that the list does not move while it is read. `isLive`: whether to ask for new ones.
 */
export function useRequestLog(query: string, isLive: boolean) {
  const client = useQueryClient();
  const key = queryKeys.requests(query);
  const log = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      request<RequestsView>("GET", pathWith(PATH, query, "before", pageParam), undefined, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last: RequestsView) => last.next,
    // Newer requests are added by `showNew`; what is in the list never changes.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchInterval: pollUntilBack,
  });
  const first = log.data?.pages[0];
  const newest = first?.requests[0]?.cursor ?? null;
  const fresh = useQuery({
    ...queryOf<RequestsView>([...key, "since", newest], pathWith(PATH, query, "after", newest)),
    enabled: isLive && log.data !== undefined,
    // Nothing is newer than the list when it arrives: the first poll is due a pause later.
    initialData: first && { ...first, requests: [], next: null },
    initialDataUpdatedAt: log.dataUpdatedAt,
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
    gcTime: 0,
    // An error of the poll shows in the next one or in the banner of the frame.
    retry: false,
  });
  const arrived = fresh.data;
  const showNew = () => {
    if (arrived === undefined || arrived.requests.length === 0) return;
    client.setQueryData<Pages>(key, (pages) => withNewest(pages, arrived));
  };
  return {
    log,
    fresh: arrived?.requests ?? [],
    /** Whether more came than one response holds. */
    isMore: arrived !== undefined && arrived.next !== null,
    showNew,
  };
}

export const useRequestSummary = (query: string, isLive: boolean) =>
  useResponse<RequestSummaryView>(
    queryKeys.requestSummary(query),
    pathWith(`${PATH}/summary`, query),
    undefined,
    isLive && SUMMARY_POLL_MS,
  );
