import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { connection } from "../connection.ts";
import { nextPollMs, type Pace } from "../parts/poll-pace.ts";
import { queryKeys } from "../queries.ts";

/** Tells the other tabs of this browser that someone has signed in. */
const CHANNEL = "toolbooth-session";
const SIGNED_IN = "signed in";

/** The emails of most people arrive within a minute. The channel and the return to this tab do not wait for a poll. */
const PACE: Pace = { firstMs: 3_000, lastMs: 30_000, quickPolls: 10 };

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
    const poll = (polls: number) => {
      timer = setTimeout(
        () => {
          look();
          poll(polls + 1);
        },
        nextPollMs(PACE, polls),
      );
    };
    const onVisibility = () => {
      clearTimeout(timer);
      if (document.visibilityState !== "visible") return;
      look();
      poll(0);
    };
    const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(CHANNEL);
    channel?.addEventListener("message", look);
    document.addEventListener("visibilitychange", onVisibility);
    if (document.visibilityState === "visible") poll(0);
    return () => {
      clearTimeout(timer);
      channel?.close();
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, [client]);
}
