import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { connection, useConnection } from "../connection.ts";
import { request } from "../request.ts";

const POLL_MS = 3_000;

/** Shown while the service is unreachable. It polls and disappears when the service responds. */
export function OfflineBanner() {
  const { offline } = useConnection();
  useBrowserEvents();
  usePollWhileOffline(offline);
  return (
    <div role="status">
      {offline && (
        <p className="tb-banner tb-offline" data-tone="warn">
          <strong>The service cannot be reached.</strong> This page may be out of date. Retrying
          automatically.
        </p>
      )}
    </div>
  );
}

/** The browser's `offline` event is reliable; `online` only means that it is worth trying. */
function useBrowserEvents() {
  useEffect(() => {
    const onOffline = () => connection.set({ offline: true });
    const onOnline = () => void ping();
    if (!navigator.onLine) onOffline();
    addEventListener("offline", onOffline);
    addEventListener("online", onOnline);
    return () => {
      removeEventListener("offline", onOffline);
      removeEventListener("online", onOnline);
    };
  }, []);
}

function usePollWhileOffline(offline: boolean) {
  const client = useQueryClient();
  const wasOffline = useRef(false);
  useEffect(() => {
    if (!offline) {
      if (wasOffline.current) void client.invalidateQueries();
      wasOffline.current = false;
      return;
    }
    wasOffline.current = true;
    const timer = setInterval(() => void ping(), POLL_MS);
    return () => clearInterval(timer);
  }, [offline, client]);
}

/** `request` records the outcome in `connection`. */
const ping = () => request("GET", "/dashboard/visitor").catch(() => {});
