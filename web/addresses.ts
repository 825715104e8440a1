import { useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import { service } from "./page-facts.ts";
import { NEXT_KEY, readStored, store } from "./shell/storage.ts";

/**
 * The path under which the service is published, without a trailing slash; empty at the root of a host.
 * The server writes it into the head of every page. All links and requests of the dashboard start with it.
 */
export const base = (): string => service().base;

/** An absolute URL, for what leaves the page: links in emails, the return from a social sign-in. */
export const absoluteUrl = (path: string): string => `${location.origin}${base()}${path}`;

/**
 * Where to go after signing in: only a path of the dashboard, without the base, as the router knows it. Anything else,
 * `//evil.example` and `/\evil.example` included, becomes `/home`.
 */
export function safeNext(next: unknown): string {
  if (typeof next !== "string" || !/^\/(?![/\\])/.test(next)) return "/home";
  const url = URL.parse(next, "https://pages.invalid");
  if (url === null || url.origin !== "https://pages.invalid") return "/home";
  return /^\/sign-in\b/.test(url.pathname) ? "/home" : url.pathname + url.search + url.hash;
}

/** One parameter of the page's query string; empty if it is absent. */
export function useSearchText(name: string): string {
  const search = useRouterState({ select: ({ location }) => location.searchStr });
  return new URLSearchParams(search).get(name) ?? "";
}

/** Where to go after signing in. Read once, because the URL changes during the navigation. */
export function useNext(): string {
  const requested = useSearchText("next");
  const [next] = useState(() => safeNext(requested));
  return next;
}

/** Where the link of an email leads, which this browser opens in a tab of its own. */
export const nextPage = {
  remember: (next: string): void => store(NEXT_KEY, next),
  read: (): string => safeNext(readStored(NEXT_KEY)),
};
