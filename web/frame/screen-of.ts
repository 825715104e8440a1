import { createElement, type FunctionComponent, lazy, useState } from "react";
import { ask, Offline } from "../request.ts";

/** The file of a screen is not there any more: the service has been updated while this page was open. */
export class Outdated extends Error {}

const ASK_AGAIN_MS = 3_000;

type Load = () => Promise<{ default: FunctionComponent }>;

/**
 * A screen that is fetched when it is first needed, or when a link to it is about to be used. One that is there already is
 * drawn at once: `lazy` would wait for it all the same, and React shows nothing new within 300 ms of a fallback.
 */
export function screenOf(load: Load) {
  let fetched: FunctionComponent | undefined;
  const keep = (screen: { default: FunctionComponent }) => {
    fetched = screen.default;
  };
  const Patient = lazy(async () => {
    const screen = await fetchPatiently(load);
    keep(screen);
    return screen;
  });
  function Screen() {
    // As long as it is drawn it stays the same component, or it would lose its state.
    const [Drawn] = useState(() => fetched ?? Patient);
    return createElement(Drawn);
  }
  // Only ahead of time: what comes of a failure shows when the screen is drawn.
  return Object.assign(Screen, { preload: () => load().then(keep, ignore) });
}

const ignore = () => {};

/**
 * While the service is away it waits, as the banner says. Browsers may remember that a module could not be fetched, so
 * what fails afterwards needs the page to be loaded again: once, or a file that is gone for good would do it for ever.
 */
async function fetchPatiently(load: Load): ReturnType<Load> {
  try {
    return await load();
  } catch {
    while (!(await serviceResponds())) await new Promise((done) => setTimeout(done, ASK_AGAIN_MS));
  }
  try {
    return await load();
  } catch (cause) {
    if (!mayReload()) throw new Outdated("The screen's file is gone", { cause });
    location.reload();
    return new Promise(() => {});
  }
}

const serviceResponds = (): Promise<boolean> =>
  ask("GET", "/dashboard/visitor").then(
    () => true,
    (error: unknown) => !(error instanceof Offline),
  );

const RELOADED_AT = "toolbooth-reloaded-at";
const RELOAD_PAUSE_MS = 60_000;

function mayReload(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_PAUSE_MS) return false;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    return true;
  } catch {
    return false; // The browser keeps nothing for this site.
  }
}
