import { useMutation } from "@tanstack/react-query";
import type { NoticesView, UnsubscribedView } from "#api/dashboard/shapes.ts";
import { queryKeys, useAnswer, useChange } from "../queries.ts";
import { ask } from "../request.ts";

export const useNotices = () => useAnswer<NoticesView>(queryKeys.notices, "/people/notices");

export const useChooseNotices = () =>
  useChange(
    (order: NoticesView) => ask<NoticesView>("PUT", "/people/notices", order),
    [],
    (client, view) => client.setQueryData(queryKeys.notices, view),
  );

/** The token says whose letters end: nobody has to be signed in. */
export const useUnsubscribe = () =>
  useMutation({
    mutationFn: (token: string) =>
      ask<UnsubscribedView>(
        "POST",
        `/people/notices/unsubscribe?token=${encodeURIComponent(token)}`,
      ),
  });
