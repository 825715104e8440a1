import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type {
  CheckoutView,
  PricesView,
  PurchaseOrder,
  PurchasesView,
  PurchaseView,
} from "#api/dashboard/shapes.ts";
import { usePages } from "../member-queries.ts";
import { POLL_MAX_MS } from "../parts/poll-pace.ts";
import { queryKeys, queryOf, useResponse, useSend } from "../queries.ts";
import { OfflineError, request } from "../request.ts";
import { isUnsettled, pollDelayMs } from "./purchase-states.ts";

export const usePrices = () => useResponse<PricesView>(queryKeys.prices, "/dashboard/prices");
export const usePurchases = () =>
  usePages<PurchasesView>(queryKeys.purchases, "/dashboard/purchases");

/** How long the button stays busy while the next page loads. */
const LEAVING_MAX_MS = 10_000;

/** Leaves this page for the provider's payment page. */
export function useBuy() {
  const buy = useSend({
    mutationFn: (order: PurchaseOrder) =>
      request<CheckoutView>("POST", "/dashboard/purchases", order),
    onSuccess: ({ url }) => location.assign(url),
  });
  const { reset, isSuccess } = buy;
  // No event says that the user, or a lost connection, stopped the way there.
  useEffect(() => {
    if (!isSuccess) return;
    const timer = setTimeout(reset, LEAVING_MAX_MS);
    return () => clearTimeout(timer);
  }, [isSuccess, reset]);
  // The browser's back button may restore this page from its cache, with the button still busy.
  useEffect(() => {
    const onPageShow = (event: PageTransitionEvent) => event.persisted && reset();
    addEventListener("pageshow", onPageShow);
    return () => removeEventListener("pageshow", onPageShow);
  }, [reset]);
  return buy;
}

/**
 * Polls a purchase until it is settled, then refetches the account data that it changes. With `cancelled` the user just
 * left the payment page without paying, so an open purchase is not polled.
 */
export function useTrackedPurchase(id: string, cancelled: boolean) {
  const client = useQueryClient();
  const purchase = useQuery({
    ...queryOf<PurchaseView>(
      queryKeys.purchase(id),
      `/dashboard/purchases/${encodeURIComponent(id)}`,
    ),
    staleTime: 0,
    refetchInterval: ({ state: { data, error, dataUpdateCount, errorUpdateCount } }) => {
      if (error instanceof OfflineError) return POLL_MAX_MS;
      if (data !== undefined && !isUnsettled(data)) return false;
      if (data?.state === "open" && cancelled) return false;
      // Without data the page shows a retry button. With data an occasional error does not stop the polling.
      if (data === undefined && error !== null) return false;
      return pollDelayMs(dataUpdateCount + errorUpdateCount);
    },
  });
  const state = purchase.data?.state;
  useEffect(() => {
    if (state === undefined || state === "open") return;
    const changed = [
      ...[queryKeys.credits, queryKeys.entries, queryKeys.purchases, queryKeys.home],
      queryKeys.visitor,
    ];
    for (const queryKey of changed) void client.invalidateQueries({ queryKey });
  }, [state, client]);
  return purchase;
}
