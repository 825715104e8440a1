import type { QueryClient } from "@tanstack/react-query";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { queryKeys } from "../queries.ts";
import { OfflineError, request } from "../request.ts";

/**
 * With the Back button browsers may restore a page as it was left, with the data of somebody who has signed out since. It stays
 * hidden until the service says that the visitor is the same; otherwise it is loaded again.
 */
export function checkRestoredPage(client: QueryClient): void {
  addEventListener("pageshow", async ({ persisted }) => {
    const before = client.getQueryData<Visitor>(queryKeys.visitor)?.user?.email;
    if (!persisted || before === undefined) return;
    const { style } = document.documentElement;
    style.visibility = "hidden";
    const isSame = await request<Visitor>("GET", "/dashboard/visitor").then(
      ({ user }) => user?.email === before,
      (error: unknown) => error instanceof OfflineError,
    );
    if (!isSame) return location.reload();
    style.visibility = "";
    void client.invalidateQueries();
  });
}
