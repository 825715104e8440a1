import { useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import { proof } from "../proof.ts";

/**
 * Leaving the page would lose a secret that is shown once. The browser asks before the tab is closed or reloaded; before another page
 * opens here, by the Back button or the search, `warn` does.
 */
export function useWarningBeforeLeaving(isActive: boolean, warn: () => void = () => {}): void {
  const { history } = useRouter();
  const ask = useEffectEvent(warn);
  useEffect(() => {
    if (!isActive) return;
    const blockerFn = () => {
      ask();
      return true;
    };
    // A provider proves on its own page who the user is, and there is no secret before that.
    return history.block({ blockerFn, enableBeforeUnload: () => !proof.isWanted() });
  }, [history, isActive]);
}
