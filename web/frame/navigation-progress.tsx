import { useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";

/** Shorter waits show nothing: a bar that flashes is worse than none. */
const SHOW_AFTER_MS = 200;

/** A thin bar at the top while the next page is loading. Until then the page before it stays. */
export function NavigationProgress() {
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    if (!isLoading) return;
    const timer = setTimeout(() => setIsShown(true), SHOW_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setIsShown(false);
    };
  }, [isLoading]);
  return isShown ? (
    <div className="tb-progress" role="progressbar" aria-label="Loading the page" />
  ) : null;
}
