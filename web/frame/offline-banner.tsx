import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { connection } from "../connection.ts";
import { ask } from "../request.ts";
import { useConnection } from "./use-connection.ts";

const ASK_AGAIN_MS = 3_000;

/** Says that the service is out of reach, keeps asking, and goes away by itself once it answers. */
export function OfflineBanner() {
  const { offline } = useConnection();
  useBrowserOpinion();
  useKeepAsking(offline);
  return (
    <div role="status">
      {offline && (
        <p className="tb-banner tb-banner-warn">
          <strong>The service cannot be reached.</strong> What you see may be out of date. Trying
          again by itself.
        </p>
      )}
    </div>
  );
}

/** `offline` of the browser is certain, `online` only a hint that asking is worth it. */
function useBrowserOpinion() {
  useEffect(() => {
    const gone = () => connection.set({ offline: true });
    const back = () => void knock();
    if (!navigator.onLine) gone();
    addEventListener("offline", gone);
    addEventListener("online", back);
    return () => {
      removeEventListener("offline", gone);
      removeEventListener("online", back);
    };
  }, []);
}

function useKeepAsking(offline: boolean) {
  const client = useQueryClient();
  const wasOffline = useRef(false);
  useEffect(() => {
    if (!offline) {
      if (wasOffline.current) void client.invalidateQueries();
      wasOffline.current = false;
      return;
    }
    wasOffline.current = true;
    const timer = setInterval(() => void knock(), ASK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [offline, client]);
}

/** `ask` itself reports what came of it. */
const knock = () => ask("GET", "/dashboard/visitor").catch(() => {});
