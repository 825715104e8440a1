import type {
  DeliveriesView,
  EndpointOrder,
  EndpointSecretView,
  EndpointsView,
  EndpointView,
} from "#api/dashboard/shapes.ts";
import { useChange, usePages, useSecretChange } from "../member-queries.ts";
import { queryKeys, useResponse } from "../queries.ts";
import { request } from "../request.ts";

export const useEndpoints = () =>
  useResponse<EndpointsView>(queryKeys.endpoints, "/dashboard/webhooks");

const pathOf = (id: string) => `/dashboard/webhooks/${encodeURIComponent(id)}`;
const ENDPOINT_QUERIES = [queryKeys.endpoints, queryKeys.events];

export const useAddEndpoint = () =>
  useSecretChange(
    (order: EndpointOrder) => request<EndpointSecretView>("POST", "/dashboard/webhooks", order),
    ENDPOINT_QUERIES,
  );

/** Takes the id of an endpoint, and returns its new secret. */
export const useRotateSecret = () =>
  useSecretChange(
    (id: string) => request<EndpointSecretView>("POST", `${pathOf(id)}/secret`, {}),
    ENDPOINT_QUERIES,
  );

export const useChangeEndpoint = () =>
  useChange(
    // Only what changes: the page may show the rest as it was before another tab changed it.
    ({ id, ...change }: Partial<EndpointOrder> & { id: string }) =>
      request<{ endpoint: EndpointView }>("PATCH", pathOf(id), change),
    ENDPOINT_QUERIES,
    // The list shows the change before it is refetched.
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
  useChange((id: string) => request<object>("DELETE", pathOf(id)), ENDPOINT_QUERIES);

export const useResend = (endpoint: string) =>
  useChange(
    (delivery: string) =>
      request<{ id: string }>(
        "POST",
        `${pathOf(endpoint)}/deliveries/${encodeURIComponent(delivery)}/again`,
      ),
    [queryKeys.deliveries(endpoint)],
  );

export const useSendTest = (endpoint: string) =>
  useChange(
    () => request<{ id: string }>("POST", `${pathOf(endpoint)}/test`),
    [queryKeys.deliveries(endpoint)],
  );

const WAITING_POLL_MS = 2_000;

/** The deliveries to an endpoint, newest first. Polls while one is waiting. */
export const useDeliveries = (endpoint: string) =>
  usePages<DeliveriesView>(queryKeys.deliveries(endpoint), `${pathOf(endpoint)}/deliveries`, {
    pollMs: (pages) =>
      pages.some(({ deliveries }) => deliveries.some(({ status }) => status === "waiting")) &&
      WAITING_POLL_MS,
  });
