import { type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import type {
  CloseOrder,
  CreditsView,
  EntriesView,
  EventsView,
  HomeView,
  KeyChange,
  KeyOrder,
  KeysView,
  KeyView,
  PasskeysView,
  RotateOrder,
  SessionView,
  UsageView,
} from "#api/dashboard/shapes.ts";
import { useWarningBeforeLeaving } from "./parts/leaving.ts";
import { pollUntilBack, queryKeys, useResponse, useSend } from "./queries.ts";
import { request } from "./request.ts";

/** The data of the signed-in user, which the sign-in page does not need. */

const KEYS_REFRESH_MS = 15_000;

/** Calls that are still being counted are null. */
export const useHome = () =>
  useResponse<HomeView>(queryKeys.home, "/dashboard/home", ({ today }) => today === null);
/** Refetched while the page is open: calls made elsewhere change when a key was used. */
export const useKeys = () =>
  useResponse<KeysView>(
    queryKeys.keys,
    "/dashboard/keys",
    ({ keys }) => keys.some(({ callsLastDay }) => callsLastDay === null),
    KEYS_REFRESH_MS,
  );
export const useSessions = () =>
  useResponse<{ sessions: SessionView[] }>(queryKeys.sessions, "/dashboard/sessions");
/** Both days inclusive, as `2026-11-21`, in UTC. */
export const useUsage = (from: string, to: string) =>
  useResponse<UsageView>(
    queryKeys.usage(from, to),
    `/dashboard/usage?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`,
  );

/** `pollMs`: how often the loaded pages are refetched while the page is visible; omitted: only when it is opened or focused. */
type PagesOptions<T> = { isLoader?: boolean; pollMs?: (pages: T[]) => number | false };

export const usePages = <T extends { next: string | null }>(
  queryKey: readonly unknown[],
  path: string,
  { isLoader = true, pollMs = () => false }: PagesOptions<T> = {},
) =>
  useInfiniteQuery({
    queryKey,
    enabled: isLoader,
    queryFn: ({ pageParam, signal }) =>
      request<T>(
        "GET",
        pageParam === null
          ? path
          : `${path}${path.includes("?") ? "&" : "?"}after=${encodeURIComponent(pageParam)}`,
        undefined,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last: T) => last.next,
    refetchInterval: (query) => pollUntilBack(query) || pollMs(query.state.data?.pages ?? []),
  });

/**
 * `data.pages` with `grants` each; the first page also has the sums. A second component on the page is no loader: what failed would
 * be requested once more when it appears, and the error would give way to a skeleton.
 */
export const useCredits = (options: { isLoader?: boolean } = {}) =>
  usePages<CreditsView>(queryKeys.credits, "/dashboard/credits", options);
/** `data.pages` with `entries` each; `fetchNextPage()` while `hasNextPage`. `query`: the filters, as in a URL. */
export const useEntries = (query: string) =>
  usePages<EntriesView>([...queryKeys.entries, query], `/dashboard/credits/entries${query}`);
export const useEvents = () => usePages<EventsView>(queryKeys.events, "/dashboard/events");

/** A mutation of the user's data. It refetches the `stale` queries; `updateCache` may write its response to the cache. */
export function useChange<Order, Result>(
  send: (order: Order) => Promise<Result>,
  stale: readonly (readonly unknown[])[],
  updateCache?: (client: QueryClient, response: Result) => void,
) {
  const client = useQueryClient();
  return useSend({
    mutationFn: send,
    onSuccess: (response) => updateCache?.(client, response),
    onSettled: () => {
      for (const queryKey of stale) void client.invalidateQueries({ queryKey });
    },
  });
}

/** A change whose response has a secret that is shown once. A page that was left meanwhile would not show it. */
export function useSecretChange<Order, Result>(
  ...change: Parameters<typeof useChange<Order, Result>>
) {
  const sent = useChange(...change);
  useWarningBeforeLeaving(sent.isPending);
  return sent;
}

const KEY_QUERIES = [queryKeys.keys, queryKeys.home, queryKeys.events];

/** A key with its secret, after it was created or rotated. */
export type CreatedKey = { key: KeyView; secret: string };
export const useCreateKey = () =>
  useSecretChange(
    (order: KeyOrder) => request<CreatedKey>("POST", "/dashboard/keys", order),
    KEY_QUERIES,
    cacheKey,
  );
/** Updates the list at once, because refetching it may fail or take a while: a revoked key must not be shown as active. */
function cacheKey(client: QueryClient, { key }: { key: KeyView }): void {
  client.setQueryData<KeysView>(queryKeys.keys, (list) => {
    if (list === undefined) return list;
    const isListed = list.keys.some(({ id }) => id === key.id);
    return {
      ...list,
      keys: isListed
        ? list.keys.map((each) => (each.id === key.id ? key : each))
        : [key, ...list.keys],
    };
  });
}
/** Changes the label of a key, its limits, or both. */
export const useChangeKey = () =>
  useChange(
    ({ id, ...change }: KeyChange & { id: string }) =>
      request<{ key: KeyView }>("PATCH", `/dashboard/keys/${encodeURIComponent(id)}`, change),
    KEY_QUERIES,
    cacheKey,
  );
export const useRotateKey = () =>
  useSecretChange(
    ({ id, ...order }: RotateOrder & { id: string }) =>
      request<CreatedKey>("POST", `/dashboard/keys/${encodeURIComponent(id)}/rotate`, order),
    KEY_QUERIES,
    cacheKey,
  );
export const useRevokeKey = () =>
  useChange(
    (id: string) =>
      request<{ key: KeyView }>("DELETE", `/dashboard/keys/${encodeURIComponent(id)}`),
    KEY_QUERIES,
    cacheKey,
  );

/** Takes the id of a session, or `others` for every session except this one. */
export const useEndSession = () =>
  useChange(
    (id: string) => request<object>("DELETE", `/dashboard/sessions/${encodeURIComponent(id)}`),
    [queryKeys.sessions, queryKeys.events],
  );
export const usePasskeys = () =>
  useResponse<PasskeysView>(queryKeys.passkeys, "/dashboard/passkeys");
/** A change of how the user signs in; `visitor` has the address. */
export const useSignInChange = <Order, Result>(send: (order: Order) => Promise<Result>) =>
  useChange(send, [queryKeys.passkeys, queryKeys.events, queryKeys.visitor, queryKeys.sessions]);
/** Ends the session too: call `leave()` of sign-in/sign-out.ts on success. */
export const useCloseAccount = () =>
  useSend({
    mutationFn: (order: CloseOrder) => request<object>("POST", "/dashboard/account/close", order),
  });
