import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Challenge } from "altcha-lib/types";
import { useEffect, useState } from "react";
import type { CodeOrder, LinkOpened, Provider, WaitingView } from "#api/dashboard/shapes.ts";
import { absoluteUrl, useSearchText } from "../addresses.ts";
import { ProblemDetails, request } from "../request.ts";
import { announceSignIn, enter } from "./await-sign-in.ts";

const AUTH = "/dashboard/auth";

/** The targets of the links in emails: pages with a button for the action. */
const verifyUrl = () => absoluteUrl("/verify-email");
const resetUrl = () => absoluteUrl("/reset-password");

/**
 * The token of a link in an email, and the address that it is for where another page of ours passed it on. Both are removed from the
 * URL at once, because URLs are stored in the browser's history and visible on the screen. The tab's storage keeps them, so that the
 * page can be reloaded.
 */
export function useLinkToken(): { token: string; email: string; forget: () => void } {
  const inUrl = { token: useSearchText("token"), email: useSearchText("email") };
  // Read once: the effect below removes the token from the URL, and a navigation changes the path.
  const [{ storageKey, link }] = useState(() => {
    const storageKey = `toolbooth link ${location.pathname}`;
    return { storageKey, link: inUrl.token === "" ? readLink(storageKey) : inUrl };
  });
  useEffect(() => {
    const url = new URL(location.href);
    if (!url.searchParams.has("token")) return;
    tabStorage()?.setItem(storageKey, `${link.token} ${link.email}`);
    for (const name of ["token", "email"]) url.searchParams.delete(name);
    history.replaceState(history.state, "", url);
  }, [storageKey, link]);
  return { ...link, forget: () => tabStorage()?.removeItem(storageKey) };
}

function readLink(storageKey: string): { token: string; email: string } {
  const [token = "", email = ""] = (tabStorage()?.getItem(storageKey) ?? "").split(" ");
  return { token, email };
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

/** Confirms an address. In the browser that signed up, the user is signed in when the mutation is over. */
export function useVerifyEmail() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token: string) => request<LinkOpened>("POST", `${AUTH}/verify-email`, { token }),
    async onSuccess({ emailTo, moved }) {
      if (emailTo !== undefined || moved === true) return client.invalidateQueries();
      await enter(client);
      announceSignIn();
    },
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
