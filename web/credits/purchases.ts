import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type {
  CheckoutView,
  PricesView,
  PurchaseOrder,
  PurchasesView,
  PurchaseView,
} from "#api/dashboard/shapes.ts";
import { queryKeys, usePages, useResponse } from "../queries.ts";
import { ask, Offline } from "../request.ts";
import { WAIT_MAX_MS, waitAfter } from "./purchase-waits.ts";

export const usePrices = () => useResponse<PricesView>(queryKeys.prices, "/dashboard/prices");
export const usePurchases = () =>
  usePages<PurchasesView>(queryKeys.purchases, "/dashboard/purchases");

/** Answers with the provider's page; going there leaves this one. */
export function useBuy() {
  const buy = useMutation({
    mutationFn: (order: PurchaseOrder) => ask<CheckoutView>("POST", "/dashboard/purchases", order),
    onSuccess: ({ url }) => location.assign(url),
  });
  const { reset } = buy;
  // Whoever comes back by the browser's own button may find this page as it was left: on its way.
  useEffect(() => {
    const cameBack = (event: PageTransitionEvent) => event.persisted && reset();
    addEventListener("pageshow", cameBack);
    return () => removeEventListener("pageshow", cameBack);
  }, [reset]);
  return buy;
}

/** What changes by itself, soon or in some days. */
const GOES_ON: readonly PurchaseView["state"][] = ["open", "pending", "settling"];

/**
 * One purchase until it has come to its end; what it changes of the account is asked for again. `cancelled`: its buyer has
 * just left without paying, so nothing is to be waited for.
 */
export function useFollowedPurchase(id: string, cancelled: boolean) {
  const client = useQueryClient();
  const purchase = useQuery({
    queryKey: queryKeys.purchase(id),
    queryFn: ({ signal }) =>
      ask<PurchaseView>("GET", `/dashboard/purchases/${encodeURIComponent(id)}`, undefined, signal),
    // Each visit to this page is a new question.
    staleTime: 0,
    refetchInterval: ({ state: { data, error, dataUpdateCount, errorUpdateCount } }) => {
      if (error instanceof Offline) return WAIT_MAX_MS;
      if (data !== undefined && !GOES_ON.includes(data.state)) return false;
      if (data?.state === "open" && cancelled) return false;
      // Without data there is a button to try again; with data a failure now and then is waited out.
      if (data === undefined && error !== null) return false;
      return waitAfter(dataUpdateCount + errorUpdateCount);
    },
  });
  const state = purchase.data?.state;
  useEffect(() => {
    if (state === undefined || state === "open") return;
    const changed = [queryKeys.credits, queryKeys.entries, queryKeys.purchases, queryKeys.home];
    for (const queryKey of changed) void client.invalidateQueries({ queryKey });
  }, [state, client]);
  return purchase;
}
