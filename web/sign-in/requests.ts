import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Challenge } from "altcha-lib/types";
import { useEffect, useState } from "react";
import type { CodeOrder, Provider, WaitingView } from "#api/dashboard/shapes.ts";
import { absoluteUrl, useSearchText } from "../addresses.ts";
import { connection } from "../connection.ts";
import { queryKeys } from "../queries.ts";
import { ProblemDetails, request } from "../request.ts";

const AUTH = "/dashboard/auth";

/** The targets of the links in emails: pages with a button for the action. */
const verifyUrl = () => absoluteUrl("/verify-email");
const resetUrl = () => absoluteUrl("/reset-password");

/**
 * The token of a link in an email. It is removed from the URL at once, because URLs are stored in the browser's history and
 * visible on the screen. The tab's storage keeps it, so that the page can be reloaded.
 */
export function useLinkToken(): { token: string; forget: () => void } {
  const tokenInUrl = useSearchText("token");
  // Read once: the effect below removes the token from the URL, and a navigation changes the path.
  const [{ storageKey, token }] = useState(() => {
    const storageKey = `toolbooth link ${location.pathname}`;
    return { storageKey, token: tokenInUrl || (tabStorage()?.getItem(storageKey) ?? "") };
  });
  useEffect(() => {
    const url = new URL(location.href);
    if (!url.searchParams.has("token")) return;
    tabStorage()?.setItem(storageKey, url.searchParams.get("token") ?? "");
    url.searchParams.delete("token");
    history.replaceState(history.state, "", url);
  }, [storageKey]);
  return { token, forget: () => tabStorage()?.removeItem(storageKey) };
}

/** Null if storage is disabled; after a reload the user then has to open the link again. */
function tabStorage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

/**
 * Sends a request that may need a proof of work: if the service asks for one, the browser solves a challenge and sends the
 * request again. The user only sees that the form takes a few seconds longer.
 */
async function requestWithProof<T>(path: string, body: object): Promise<T> {
  try {
    return await request<T>("POST", path, body);
  } catch (error) {
    if (!(error instanceof ProblemDetails) || error.code !== "proof_required") throw error;
    const proof = await solveNewChallenge();
    // Its text tells users what to do where their browser cannot solve the challenge.
    if (proof === null) throw error;
    return request<T>("POST", path, { ...body, proof });
  }
}

/** The solver is loaded only where it is needed. */
async function solveNewChallenge(): Promise<string | null> {
  const [solver, challenge] = await Promise.all([
    import("./solve-challenge.ts").catch(() => null),
    request<Challenge>("GET", "/dashboard/challenge"),
  ]);
  return solver === null ? null : solver.solveChallenge(challenge);
}

export type Credentials = { email: string; password: string };

/** Discards the cached data of the previous user. The page that shows the visitor then goes on. */
async function enter(client: QueryClient): Promise<void> {
  connection.set({ signedOut: false });
  client.removeQueries({ queryKey: queryKeys.mine });
  await client.refetchQueries({ queryKey: queryKeys.visitor });
}

/** `secondFactor`: the user is not signed in before the page `/confirm-sign-in`. */
export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (order: Credentials) =>
      requestWithProof<{ secondFactor?: boolean }>(`${AUTH}/sign-in/email`, order),
    onSuccess: async ({ secondFactor = false }) => {
      if (!secondFactor) await enter(client);
    },
  });
}

export function usePasskeySignIn() {
  const client = useQueryClient();
  return useMutation({
    // Imported late: every page uses this module, to sign out, and few of them need passkeys.
    mutationFn: async (autofill: boolean) =>
      (await import("../passkeys.ts")).signInByPasskey(autofill),
    onSuccess: () => enter(client),
  });
}

/** The second step of a sign-in. */
export function useFinishByCode() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ code, kind }: CodeOrder) =>
      request<object>(
        "POST",
        `${AUTH}/two-factor/${kind === "totp" ? "verify-totp" : "verify-backup-code"}`,
        { code, kind },
      ),
    onSuccess: () => enter(client),
  });
}

export const useWaiting = () =>
  useQuery({
    queryKey: ["second-factor"],
    queryFn: ({ signal }) =>
      request<WaitingView>("GET", `${AUTH}/second-factor`, undefined, signal),
    gcTime: 0,
    staleTime: 0,
  });

export const useSignUp = () =>
  useMutation({
    mutationFn: ({ email, password }: Credentials) =>
      requestWithProof<object>(`${AUTH}/sign-up/email`, {
        name: "",
        email,
        password,
        callbackURL: verifyUrl(),
      }),
  });

export const useSendVerification = () =>
  useMutation({
    mutationFn: (email: string) =>
      requestWithProof<object>(`${AUTH}/send-verification-email`, {
        email,
        callbackURL: verifyUrl(),
      }),
  });

/**
 * `resetToken` is set if this browser did not sign up, so someone else may have chosen the password: the reader of the email
 * sets a new one with this single-use token. For a change of address, `emailTo` is the new address if it still has to be confirmed, and `moved` is true if the change is complete.
 */
export type Verified = { resetToken?: string; emailTo?: string; moved?: boolean };

export function useVerifyEmail() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token: string) => request<Verified>("POST", `${AUTH}/verify-email`, { token }),
    onSuccess: () => client.invalidateQueries(),
  });
}

export const useRequestReset = () =>
  useMutation({
    mutationFn: (email: string) =>
      requestWithProof<object>(`${AUTH}/request-password-reset`, {
        email,
        redirectTo: resetUrl(),
      }),
  });

export const useResetPassword = () =>
  useMutation({
    mutationFn: (order: { token: string; newPassword: string }) =>
      request<object>("POST", `${AUTH}/reset-password`, order),
  });

/** Leaves the page for the URL of the provider. */
export const useSocialSignIn = () =>
  useMutation({
    mutationFn: ({ provider, next }: { provider: Provider; next: string }) =>
      request<{ url: string }>("POST", `${AUTH}/sign-in/social`, {
        provider,
        callbackURL: absoluteUrl(next),
        errorCallbackURL: absoluteUrl("/sign-in"),
      }),
    onSuccess: ({ url }) => location.assign(url),
  });

/** Loads the page at `path` from the server, which discards all data of the user. */
export function leave(path = "/sign-in"): void {
  location.assign(absoluteUrl(path));
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    async mutationFn() {
      // A response that arrives without a session would say that the session has ended.
      await client.cancelQueries({ queryKey: queryKeys.mine });
      return request<object>("POST", `${AUTH}/sign-out`, {});
    },
    onSuccess: () => leave(),
    onError: () => client.invalidateQueries({ queryKey: queryKeys.mine }),
  });
}
