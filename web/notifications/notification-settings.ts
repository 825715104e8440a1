import { useMutation } from "@tanstack/react-query";
import type { NotificationsView, UnsubscribedView } from "#api/dashboard/shapes.ts";
import { queryKeys, useChange, useResponse } from "../queries.ts";
import { request } from "../request.ts";

export const useNotifications = () =>
  useResponse<NotificationsView>(queryKeys.notifications, "/dashboard/notifications");

export const useSaveNotifications = () =>
  useChange(
    (order: NotificationsView) =>
      request<NotificationsView>("PUT", "/dashboard/notifications", order),
    [],
    (client, view) => client.setQueryData(queryKeys.notifications, view),
  );

/** The token identifies the account, so no session is needed. */
export const useUnsubscribe = () =>
  useMutation({
    mutationFn: (token: string) =>
      request<UnsubscribedView>(
        "POST",
        `/dashboard/notifications/unsubscribe?token=${encodeURIComponent(token)}`,
      ),
  });
