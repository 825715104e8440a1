import {
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type {
  CloseOrder,
  CreditsView,
  EntriesView,
  EventsView,
  HomeView,
  KeyOrder,
  KeyView,
  SessionView,
  UsageView,
  Visitor,
} from "#api/dashboard/shapes.ts";
import { ask, Offline, ProblemDetails } from "./request.ts";

/** What the service told, and how to ask again. Everything that belongs to a person lies below `mine`. */
export const queryKeys = {
  visitor: ["visitor"],
  mine: ["mine"],
  home: ["mine", "home"],
  keys: ["mine", "keys"],
  allUsage: ["mine", "usage"],
  usage: (from: string, to: string) => ["mine", "usage", from, to],
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
} as const;

/** Only what may pass by itself is tried again; a refusal of the request will not. */
export function mayRetry(failures: number, error: unknown): boolean {
  if (failures >= 2) return false;
  return error instanceof ProblemDetails && error.status >= 500 && error.status !== 501;
}

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // `ask` itself finds out whether the service can be reached; the browser's own opinion is often wrong.
      queries: { retry: mayRetry, staleTime: 10_000, networkMode: "always" },
      mutations: { retry: false, networkMode: "always" },
    },
  });

/** While the service is away a query asks again by itself, so that pages recover without a click. */
export const againWhileAway = (query: { state: { error: unknown } }): number | false =>
  query.state.error instanceof Offline ? 5_000 : false;

export const useResponse = <T>(queryKey: readonly unknown[], path: string) =>
  useQuery({
    queryKey,
    queryFn: ({ signal }) => ask<T>("GET", path, undefined, signal),
    refetchInterval: againWhileAway,
  });

export const useVisitor = () => useResponse<Visitor>(queryKeys.visitor, "/dashboard/visitor");
export const useHome = () => useResponse<HomeView>(queryKeys.home, "/dashboard/home");
export const useKeys = () => useResponse<{ keys: KeyView[] }>(queryKeys.keys, "/dashboard/keys");
export const useCredits = () => useResponse<CreditsView>(queryKeys.credits, "/dashboard/credits");
export const useSessions = () =>
  useResponse<{ sessions: SessionView[] }>(queryKeys.sessions, "/dashboard/sessions");
/** Both days inclusive, as `2026-11-21`, in UTC. */
export const useUsage = (from: string, to: string) =>
  useResponse<UsageView>(
    queryKeys.usage(from, to),
    `/dashboard/usage?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`,
  );

export const usePages = <T extends { next: string | null }>(
  queryKey: readonly unknown[],
  path: string,
) =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      ask<T>(
        "GET",
        pageParam === null ? path : `${path}?after=${encodeURIComponent(pageParam)}`,
        undefined,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last: T) => last.next,
    refetchInterval: againWhileAway,
  });

/** `data.pages` with `entries` each; `fetchNextPage()` while `hasNextPage`. */
export const useEntries = () =>
  usePages<EntriesView>(queryKeys.entries, "/dashboard/credits/entries");
export const useEvents = () => usePages<EventsView>(queryKeys.events, "/dashboard/events");

/** A change of what belongs to the person; afterwards `stale` is asked for again. */
export function useChange<Order, ApiResponse>(
  send: (order: Order) => Promise<ApiResponse>,
  stale: readonly (readonly unknown[])[],
  learn?: (client: QueryClient, response: ApiResponse) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (response) => learn?.(client, response),
    onSettled: () => {
      for (const queryKey of stale) void client.invalidateQueries({ queryKey });
    },
  });
}

const AFTER_KEYS = [queryKeys.keys, queryKeys.home, queryKeys.events];

export type MadeKey = { key: KeyView; secret: string };
export const useCreateKey = () =>
  useChange((order: KeyOrder) => ask<MadeKey>("POST", "/dashboard/keys", order), AFTER_KEYS);
/** The list knows a changed key at once: it must not stand there as active beside the word that it is revoked. */
function learnKey(client: QueryClient, { key }: { key: KeyView }): void {
  client.setQueryData<{ keys: KeyView[] }>(queryKeys.keys, (known) =>
    known === undefined
      ? known
      : { keys: known.keys.map((each) => (each.id === key.id ? key : each)) },
  );
}
export const useRenameKey = () =>
  useChange(
    ({ id, label }: KeyOrder & { id: string }) =>
      ask<{ key: KeyView }>("PATCH", `/dashboard/keys/${encodeURIComponent(id)}`, { label }),
    AFTER_KEYS,
    learnKey,
  );
export const useRevokeKey = () =>
  useChange(
    (id: string) => ask<{ key: KeyView }>("DELETE", `/dashboard/keys/${encodeURIComponent(id)}`),
    AFTER_KEYS,
    learnKey,
  );

/** Takes the id of a session, or `others` for all but this one. */
export const useEndSession = () =>
  useChange(
    (id: string) => ask<object>("DELETE", `/dashboard/sessions/${encodeURIComponent(id)}`),
    [queryKeys.sessions, queryKeys.events],
  );
export const useChangePassword = () =>
  useChange(
    (order: { currentPassword: string; newPassword: string }) =>
      ask<object>("POST", "/dashboard/auth/change-password", order),
    [queryKeys.sessions, queryKeys.events],
  );
/** `callbackURL` is a whole address: `addressOf("/settings/account")`. */
export const useChangeEmail = () =>
  useChange(
    (order: { newEmail: string; callbackURL: string }) =>
      ask<object>("POST", "/dashboard/auth/change-email", order),
    [queryKeys.visitor, queryKeys.events],
  );
/** Afterwards the person is signed out: `leave()` of sign-in/requests.ts starts anew. */
export const useCloseAccount = () =>
  useMutation({
    mutationFn: (order: CloseOrder) => ask<object>("POST", "/dashboard/account/close", order),
  });
