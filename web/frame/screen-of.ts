import { createElement, type FunctionComponent, lazy, useState } from "react";
import { OfflineError, request } from "../request.ts";

/** The chunk of a screen no longer exists: the service was updated while this page was open. */
export class OutdatedScreen extends Error {}

const POLL_MS = 3_000;

type Load<Props> = () => Promise<{ default: FunctionComponent<Props> }>;

/**
 * A screen, or a part of one, that is loaded on demand, or ahead of time, for example when the user hovers a link to it. When it
 * is loaded, it renders at once: `lazy` would still suspend, and React keeps a fallback for at least 300 ms.
 */
export function screenOf<Props extends object = object>(load: Load<Props>) {
  let loaded: FunctionComponent<Props> | undefined;
  const store = (screen: { default: FunctionComponent<Props> }) => {
    loaded = screen.default;
  };
  const LazyScreen: FunctionComponent<Props> = lazy(async () => {
    const screen = await loadWhenReachable(load);
    store(screen);
    return screen;
  });
  function Screen(props: Props) {
    // Switching from one component to the other would reset the state of the screen.
    const [Component] = useState(() => loaded ?? LazyScreen);
    return createElement(Component, props);
  }
  // A failed preload is ignored: rendering the screen loads it again.
  return Object.assign(Screen, { preload: () => load().then(store, ignore) });
}

const ignore = () => {};

/**
 * Waits while the service is unreachable; the banner says so. Browsers may cache a failed module load, so a second failure
 * reloads the page. It reloads only once, because a chunk that no longer exists would fail again.
 */
async function loadWhenReachable<Props>(load: Load<Props>): ReturnType<Load<Props>> {
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

const RELOADED_AT = "tb-reloaded-at";
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
