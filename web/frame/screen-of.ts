import { createElement, type FunctionComponent, lazy, useState } from "react";
import { OfflineError, request } from "../request.ts";

/** The chunk of a screen no longer exists: the service was updated while this page was open. */
export class OutdatedScreen extends Error {}

const POLL_MS = 3_000;

type Load = () => Promise<{ default: FunctionComponent }>;

/**
 * A screen that is loaded on demand, or ahead of time when the user hovers a link to it. A loaded screen renders at once:
 * `lazy` would still suspend, and React keeps a fallback for at least 300 ms.
 */
export function screenOf(load: Load) {
  let loaded: FunctionComponent | undefined;
  const store = (screen: { default: FunctionComponent }) => {
    loaded = screen.default;
  };
  const LazyScreen = lazy(async () => {
    const screen = await loadWhenReachable(load);
    store(screen);
    return screen;
  });
  function Screen() {
    // Switching from one component to the other would reset the state of the screen.
    const [Component] = useState(() => loaded ?? LazyScreen);
    return createElement(Component);
  }
  // A failed preload is ignored: rendering the screen loads it again.
  return Object.assign(Screen, { preload: () => load().then(store, ignore) });
}

const ignore = () => {};

/**
 * Waits while the service is unreachable; the banner says so. Browsers may cache a failed module load, so a second failure
 * reloads the page. It reloads only once, because a chunk that no longer exists would fail again.
 */
async function loadWhenReachable(load: Load): ReturnType<Load> {
  try {
    return await load();
  } catch {
    while (!(await serviceResponds())) await new Promise((done) => setTimeout(done, POLL_MS));
  }
  try {
    return await load();
  } catch (cause) {
    if (!mayReload()) throw new OutdatedScreen("The code of this screen was replaced", { cause });
    location.reload();
    return new Promise(() => {});
  }
}

const serviceResponds = (): Promise<boolean> =>
  request("GET", "/dashboard/visitor").then(
    () => true,
    (error: unknown) => !(error instanceof OfflineError),
  );

const RELOADED_AT = "toolbooth-reloaded-at";
const RELOAD_PAUSE_MS = 60_000;

function mayReload(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_PAUSE_MS) return false;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    return true;
  } catch {
    return false; // Storage is disabled.
  }
}
