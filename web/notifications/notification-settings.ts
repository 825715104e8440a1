import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { NotificationsView, UnsubscribedView } from "#api/dashboard/shapes.ts";
import { queryKeys, useResponse } from "../queries.ts";
import { request } from "../request.ts";

export const useNotifications = () =>
  useResponse<NotificationsView>(queryKeys.notifications, "/dashboard/notifications");

/** Saves run one after the other, in the order of the changes. */
export function useSaveNotifications() {
  const client = useQueryClient();
  return useMutation({
    scope: { id: "notifications" },
    mutationFn: (order: NotificationsView) =>
      request<NotificationsView>("PUT", "/dashboard/notifications", order),
    onSuccess: (view) => client.setQueryData(queryKeys.notifications, view),
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.home }),
  });
}

/** The token identifies the account, so no session is needed. */
export const useUnsubscribe = () =>
  useMutation({
    mutationFn: (token: string) =>
      request<UnsubscribedView>(
        "POST",
        `/dashboard/notifications/unsubscribe?token=${encodeURIComponent(token)}`,
      ),
  });
