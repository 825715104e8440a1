import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import type { LinkView, Provider, SignedInView, StartedView } from "#api/dashboard/shapes.ts";
import { absoluteUrl } from "../addresses.ts";
import { queryKeys, useSend } from "../queries.ts";
import { request } from "../request.ts";

const AUTH = "/dashboard/auth";

/** Discards the cached data of the previous user. The page that shows the visitor then goes on. */
async function enter(client: QueryClient): Promise<void> {
  client.removeQueries({ queryKey: queryKeys.mine });
  await client.refetchQueries({ queryKey: queryKeys.visitor });
}

/** Emails a code and a link. The response is the same whether or not the address has an account. */
export const useSendCode = () =>
  useSend({
    mutationFn: (email: string) => request<StartedView>("POST", `${AUTH}/sign-in/start`, { email }),
  });

/** Signs in with the code, which works only in the browser that asked for it. */
export const signInByCode = (code: string): Promise<SignedInView> =>
  request("POST", `${AUTH}/sign-in/code`, { code });

/** `onEntered` learns whether the account is new before the page shows that the user is signed in. */
export function useSignInByCode(onEntered: (isNew: boolean) => void) {
  const client = useQueryClient();
  return useSend({
    mutationFn: signInByCode,
    onSuccess: ({ signedUp }) => {
      onEntered(signedUp);
      return enter(client);
    },
  });
}

/** Signs in with the link of the email, or returns the code to type in the browser that asked for it. */
export function useOpenLink() {
  const client = useQueryClient();
  return useSend({
    mutationFn: (secret: string) => request<LinkView>("POST", `${AUTH}/sign-in/link`, { secret }),
    onSuccess: ({ code }) => (code === null ? enter(client) : undefined),
  });
}

/**
 * `autofill`: waits until the user chooses a passkey from the suggestions of the email field. A later wait ends the one before it.
 * `onSignedIn` runs once the page knows who is signed in.
 */
export function usePasskeySignIn(onSignedIn?: () => void) {
  const client = useQueryClient();
  return useMutation({
    // Imported late: few sign-ins need the code for passkeys.
    mutationFn: async (autofill: boolean) =>
      (await import("../passkeys.ts")).signInByPasskey({ autofill }),
    onSuccess: async () => {
      await enter(client);
      onSignedIn?.();
    },
  });
}

/** Leaves the page for the URL of the provider. */
export const useSocialSignIn = () =>
  useSend({
    mutationFn: ({ provider, next }: { provider: Provider; next: string }) =>
      request<{ url: string }>("POST", `${AUTH}/sign-in/social`, {
        provider,
        callbackURL: absoluteUrl(next),
        errorCallbackURL: absoluteUrl("/sign-in"),
      }),
    onSuccess: ({ url }) => location.assign(url),
  });
