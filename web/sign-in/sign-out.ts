import { useQueryClient } from "@tanstack/react-query";
import { absoluteUrl } from "../addresses.ts";
import { queryKeys, useSend } from "../queries.ts";
import { request } from "../request.ts";
import { announceSignOut } from "../shell/visitor.ts";

/** Signing out stands in a file of its own: every page needs it, and few need the rest of the requests. */

/** Loads the page at `path` from the server, which discards all data of the user. */
export function leave(path = "/sign-in"): void {
  location.assign(absoluteUrl(path));
}

export function useSignOut() {
  const client = useQueryClient();
  return useSend({
    async mutationFn() {
      // A response that arrives without a session would say that the session has ended.
      await client.cancelQueries({ queryKey: queryKeys.mine });
      return request<object>("POST", "/dashboard/auth/sign-out", {});
    },
    onSuccess() {
      announceSignOut();
      leave();
    },
    onError: () => client.invalidateQueries({ queryKey: queryKeys.mine }),
  });
}
