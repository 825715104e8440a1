import type { QueryClient } from "@tanstack/react-query";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { queryKeys } from "./queries.ts";
import { earlyPaths, request } from "./request.ts";

/** The cache keys of the responses that the head of a page requests and that are one page long. */
const KEYS: Record<string, readonly unknown[]> = {
  "/dashboard/home": queryKeys.home,
  "/dashboard/keys": queryKeys.keys,
  "/dashboard/factors": queryKeys.factors,
  "/dashboard/sessions": queryKeys.sessions,
  "/dashboard/notifications": queryKeys.notifications,
  "/dashboard/webhooks": queryKeys.endpoints,
};

/**
 * Puts into the cache what the head of the page has requested (`src/site/early-requests.ts`), so that the first render is that of the
 * whole page: a render for each response takes a slow phone 0.1 s more. Nothing waits for it: without a response the page shows
 * that it is loading.
 */
export async function readEarlyResponses(client: QueryClient): Promise<void> {
  const paths = earlyPaths();
  const read = (queryKey: readonly unknown[], path: string) =>
    client.prefetchQuery({
      queryKey,
      queryFn: ({ signal }) => request("GET", path, undefined, signal),
      // The page asks again when it shows the error.
      retry: false,
    });
  await read(queryKeys.visitor, "/dashboard/visitor");
  // Anybody else would get an error, and is sent to sign in.
  if (!client.getQueryData<Visitor>(queryKeys.visitor)?.user) return;
  for (const path of paths) {
    const queryKey = KEYS[path];
    if (queryKey !== undefined) void read(queryKey, path);
  }
}
