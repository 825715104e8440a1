import type { RequestsView, RequestView } from "#api/dashboard/shapes.ts";

/** The loaded pages of the log, as TanStack Query keeps them. */
export type Pages = { pages: RequestsView[]; pageParams: unknown[] };

/** Puts new requests in front of the list. If more came than one response holds, the list starts again with them. */
export function withNewest(pages: Pages | undefined, arrived: RequestsView): Pages {
  const [first, ...others] = pages?.pages ?? [];
  if (
    pages === undefined ||
    first === undefined ||
    first.requests.length === 0 ||
    arrived.next !== null
  ) {
    return { pages: [arrived], pageParams: [null] };
  }
  const listed = new Set(first.requests.map(({ cursor }) => cursor));
  const requests = [
    ...arrived.requests.filter(({ cursor }) => !listed.has(cursor)),
    ...first.requests,
  ];
  const keys = [
    ...arrived.keys,
    ...first.keys.filter(({ id }) => !arrived.keys.some((each) => each.id === id)),
  ];
  return { ...pages, pages: [{ ...first, requests, keys }, ...others] };
}

export const allRequests = (pages: Pages | undefined): RequestView[] =>
  (pages?.pages ?? []).flatMap(({ requests }) => requests);

/** Every key that the loaded pages name. */
export const allKeys = (pages: Pages | undefined): Map<string, RequestsView["keys"][number]> =>
  new Map((pages?.pages ?? []).flatMap(({ keys }) => keys.map((key) => [key.id, key] as const)));
