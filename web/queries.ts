import { QueryClient, type UseMutationOptions, useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { connection } from "./connection.ts";
import { isUnavailable, OfflineError, ProblemDetails, request } from "./request.ts";

/** The cache keys. Everything that belongs to the signed-in user is below `mine`. */
export const queryKeys = {
  visitor: ["visitor"],
  mine: ["mine"],
  home: ["mine", "home"],
  keys: ["mine", "keys"],
  allUsage: ["mine", "usage"],
  usage: (from: string, to: string) => ["mine", "usage", from, to],
  requests: (query: string) => ["mine", "requests", query],
  requestSummary: (query: string) => ["mine", "request-summary", query],
  credits: ["mine", "credits"],
  entries: ["mine", "entries"],
  purchases: ["mine", "purchases"],
  purchase: (id: string) => ["mine", "purchase", id],
  prices: ["prices"],
  notifications: ["mine", "notifications"],
  endpoints: ["mine", "webhooks"],
  deliveries: (endpoint: string) => ["mine", "deliveries", endpoint],
  sessions: ["mine", "sessions"],
  events: ["mine", "events"],
  passkeys: ["mine", "passkeys"],
  proof: ["mine", "proof"],
} as const;

/** Retries server errors, which may be temporary. A rejected request would be rejected again. */
function mayRetry(failures: number, error: unknown): boolean {
  if (failures >= 2) return false;
  return error instanceof ProblemDetails && error.status >= 500 && error.status !== 501;
}

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // `request` itself detects whether the service is reachable; `navigator.onLine` is often wrong.
      queries: {
        retry: mayRetry,
        staleTime: 10_000,
        networkMode: "always",
        // A call made in a terminal or another tab must show when the user comes back, however soon that is.
        refetchOnWindowFocus: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });

/**
 * What a click sends, as a mutation: an order that is under way is not begun again, and every caller gets the same result.
 * A mutation is `isPending` only a moment after the click, and a double click is two.
 */
export function useSend<Order, Result>(options: UseMutationOptions<Result, Error, Order>) {
  const mutation = useMutation(options);
  const { isPending, submittedAt } = mutation;
  const underWay = useRef<{ order: string; result: Promise<Result> } | null>(null);
  // Not sooner than the page shows how it ended.
  useEffect(() => {
    if (!isPending) underWay.current = null;
  }, [isPending, submittedAt]);
  const mutateAsync: typeof mutation.mutateAsync = (...args) => {
    const order = JSON.stringify(args[0]) ?? "";
    if (underWay.current?.order !== order) {
      underWay.current = { order, result: mutation.mutateAsync(...args) };
    }
    return underWay.current.result;
  };
  const mutate: typeof mutation.mutate = (...args) => void mutateAsync(...args).catch(() => {});
  return { ...mutation, mutate, mutateAsync };
}

/** What pages show of a mutation of `useSend`. */
export type SendState = { isPending: boolean; isError: boolean; error: unknown };

const POLL_MS = 5_000;

/** While the service is unreachable or says that it is unavailable, queries poll, so that pages recover without a click. */
export const pollUntilBack = ({ state: { error } }: { state: { error: unknown } }) =>
  error instanceof OfflineError || isUnavailable(error) ? POLL_MS : false;

export const queryOf = <T>(queryKey: readonly unknown[], path: string) => ({
  queryKey,
  queryFn: ({ signal }: { signal: AbortSignal }) => request<T>("GET", path, undefined, signal),
});

/**
 * `isPartial`: whether the response lacks something that a later one has. The query polls for it then. `refreshMs`: how often
 * the query is refetched while the page is visible; omitted: only when it is opened or focused.
 */
export const useResponse = <T>(
  queryKey: readonly unknown[],
  path: string,
  isPartial: (response: T) => boolean = () => false,
  refreshMs: number | false = false,
) =>
  useQuery({
    ...queryOf<T>(queryKey, path),
    refetchInterval: (query) => {
      const { data } = query.state as { data?: T };
      return (
        pollUntilBack(query) || (data !== undefined && isPartial(data) && POLL_MS) || refreshMs
      );
    },
  });

export const visitorQuery = {
  queryKey: queryKeys.visitor,
  async queryFn({ signal }: { signal: AbortSignal }): Promise<Visitor> {
    const visitor = await request<Visitor>("GET", "/dashboard/visitor", undefined, signal);
    // The user may have signed in again in another tab.
    if (visitor.user !== null) connection.set({ signedOut: false });
    return visitor;
  },
};
export const useVisitor = () => useQuery({ ...visitorQuery, refetchInterval: pollUntilBack });
