import { useInfiniteQuery } from "@tanstack/react-query";
import type {
  DeliveriesView,
  EndpointOrder,
  EndpointsView,
  EndpointView,
} from "#api/dashboard/shapes.ts";
import { pollWhileOffline, queryKeys, useChange, useResponse } from "../queries.ts";
import { request } from "../request.ts";

export const useEndpoints = () =>
  useResponse<EndpointsView>(queryKeys.endpoints, "/dashboard/webhooks");

const place = (id: string) => `/dashboard/webhooks/${encodeURIComponent(id)}`;
const ENDPOINT_QUERIES = [queryKeys.endpoints, queryKeys.events];

export const useAddEndpoint = () =>
  useChange(
    (order: EndpointOrder) =>
      request<{ endpoint: EndpointView }>("POST", "/dashboard/webhooks", order),
    ENDPOINT_QUERIES,
  );

export const useChangeEndpoint = () =>
  useChange(
    ({ id, url, kinds, paused }: EndpointView) =>
      request<{ endpoint: EndpointView }>("PUT", place(id), { url, kinds, paused }),
    ENDPOINT_QUERIES,
    // The list knows it at once, whenever it is asked for again.
    (client, { endpoint }) =>
      client.setQueryData<EndpointsView>(
        queryKeys.endpoints,
        (known) =>
          known && {
            ...known,
            endpoints: known.endpoints.map((each) => (each.id === endpoint.id ? endpoint : each)),
          },
      ),
  );

export const useDeleteEndpoint = () =>
  useChange((id: string) => request<object>("DELETE", place(id)), ENDPOINT_QUERIES);

export const useSendAgain = (endpoint: string) =>
  useChange(
    (delivery: string) =>
      request<{ id: string }>(
        "POST",
        `${place(endpoint)}/deliveries/${encodeURIComponent(delivery)}/again`,
      ),
    [queryKeys.deliveries(endpoint)],
  );

const WAITING_POLL_MS = 5_000;

/** What was sent there, newest first. As long as something waits to be sent, it is asked for again. */
export const useDeliveries = (endpoint: string) =>
  useInfiniteQuery({
    queryKey: queryKeys.deliveries(endpoint),
    queryFn: ({ pageParam, signal }) => {
      const after = pageParam === null ? "" : `?after=${encodeURIComponent(pageParam)}`;
      const path = `${place(endpoint)}/deliveries${after}`;
      return request<DeliveriesView>("GET", path, undefined, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last: DeliveriesView) => last.next,
    refetchInterval: (query) => {
      const rows = query.state.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
      const isMoving = rows.some(({ status }) => status === "waiting");
      return pollWhileOffline(query) || (isMoving && WAITING_POLL_MS);
    },
  });
