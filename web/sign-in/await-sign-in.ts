import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { connection } from "../connection.ts";
import { queryKeys } from "../queries.ts";

/** Tells the other tabs of this browser that someone has signed in. */
const CHANNEL = "toolbooth-session";
const SIGNED_IN = "signed in";

const FIRST_POLL_MS = 3_000;
const LAST_POLL_MS = 30_000;
/** The time before the next poll, after one that took place `ms` after the one before. */
export const nextPoll = (ms: number): number => Math.min(LAST_POLL_MS, Math.round(ms * 1.4));

/** Discards the cached data of the previous user. The page that shows the visitor then goes on. */
export async function enter(client: QueryClient): Promise<void> {
  connection.set({ signedOut: false });
  client.removeQueries({ queryKey: queryKeys.mine });
  await client.refetchQueries({ queryKey: queryKeys.visitor });
}

export function announceSignIn(): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(SIGNED_IN);
  channel.close();
}

/**
 * Refetches the visitor when another tab has signed in, when this one becomes visible, and now and then while it is: the page that
 * waits for a confirmation goes on by itself. Browsers without channels have the polls.
 */
export function useSignInElsewhere(): void {
  const client = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => void enter(client);
    const poll = (ms: number) => {
      timer = setTimeout(() => {
        look();
        poll(nextPoll(ms));
      }, ms);
    };
    const onVisibility = () => {
      clearTimeout(timer);
      if (document.visibilityState !== "visible") return;
      look();
      poll(FIRST_POLL_MS);
    };
    const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(CHANNEL);
    channel?.addEventListener("message", look);
    document.addEventListener("visibilitychange", onVisibility);
    if (document.visibilityState === "visible") poll(FIRST_POLL_MS);
    return () => {
      clearTimeout(timer);
      channel?.close();
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, [client]);
}
