import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Provider } from "#api/dashboard/shapes.ts";
import { addressOf } from "../base.ts";
import { connection } from "../connection.ts";
import { queryKeys } from "../queries.ts";
import { ask } from "../request.ts";
import { useSearchText } from "./use-search.ts";

const AUTH = "/dashboard/auth";

/** Where the links of letters lead: pages of ours, whose buttons do what the link is for. */
const verifyAddress = () => addressOf("/verify-email");
const resetAddress = () => addressOf("/reset-password");

/**
 * The token of a letter's link. It goes out of the address at once: an address is kept in the browser's history, and
 * is shown to whoever looks over a shoulder. The tab keeps it, so that the page can be loaded again.
 */
export function useLinkToken(): { token: string; forget: () => void } {
  const given = useSearchText("token");
  // As they are at first: the address changes here and on the way to another page.
  const [{ place, token }] = useState(() => {
    const place = `toolbooth link ${location.pathname}`;
    return { place, token: given || (tabMemory()?.getItem(place) ?? "") };
  });
  useEffect(() => {
    const url = new URL(location.href);
    if (!url.searchParams.has("token")) return;
    tabMemory()?.setItem(place, url.searchParams.get("token") ?? "");
    url.searchParams.delete("token");
    history.replaceState(history.state, "", url);
  }, [place]);
  return { token, forget: () => tabMemory()?.removeItem(place) };
}

/** Browsers may be set to keep nothing; then the link of the letter is opened again. */
function tabMemory(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

export type Credentials = { email: string; password: string };

/** After signing in nothing of an earlier person may be left in the page. */
export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (order: Credentials) => ask<object>("POST", `${AUTH}/sign-in/email`, order),
    onSuccess: async () => {
      connection.set({ signedOut: false });
      client.removeQueries({ queryKey: queryKeys.mine });
      await client.refetchQueries({ queryKey: queryKeys.visitor });
    },
  });
}

export const useSignUp = () =>
  useMutation({
    mutationFn: ({ email, password }: Credentials) =>
      ask<{ signUp: string }>("POST", `${AUTH}/sign-up/email`, {
        name: "",
        email,
        password,
        callbackURL: verifyAddress(),
      }),
  });

/** `signUp`, of a sign-up on this page, tells that its password was chosen by who will read the letter. */
export const useSendVerification = (signUp?: string) =>
  useMutation({
    mutationFn: (email: string) =>
      ask<object>("POST", `${AUTH}/send-verification-email`, {
        email,
        callbackURL: verifyAddress(),
        signUp,
      }),
  });

/**
 * With `resetToken` where somebody else chose the password: the reader of the letter chooses a new one. Of a change of
 * address: `emailTo` where the new address still has to agree, `moved` where it is done.
 */
export type Verified = { resetToken?: string; emailTo?: string; moved?: boolean };

export function useVerifyEmail() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token: string) => ask<Verified>("POST", `${AUTH}/verify-email`, { token }),
    onSuccess: () => client.invalidateQueries(),
  });
}

export const useRequestReset = () =>
  useMutation({
    mutationFn: (email: string) =>
      ask<object>("POST", `${AUTH}/request-password-reset`, { email, redirectTo: resetAddress() }),
  });

export const useResetPassword = () =>
  useMutation({
    mutationFn: (order: { token: string; newPassword: string }) =>
      ask<object>("POST", `${AUTH}/reset-password`, order),
  });

/** Answers with the provider's address; going there leaves the page. */
export const useSocialSignIn = () =>
  useMutation({
    mutationFn: ({ provider, next }: { provider: Provider; next: string }) =>
      ask<{ url: string }>("POST", `${AUTH}/sign-in/social`, {
        provider,
        callbackURL: addressOf(next),
        errorCallbackURL: addressOf("/sign-in"),
      }),
    onSuccess: ({ url }) => location.assign(url),
  });

/** Forgets everything about the person and starts the page anew, signed out. */
export function leave(path = "/sign-in"): void {
  location.assign(addressOf(path));
}

export const useSignOut = () =>
  useMutation({
    mutationFn: () => ask<object>("POST", `${AUTH}/sign-out`, {}),
    onSuccess: () => leave(),
  });
