/**
 * The path under which the service is published, without a slash at its end: empty at the root of a name.
 * The server writes it into the head of every page; all links and requests of the pages begin with it.
 */
export function base(): string {
  const tag = document.querySelector<HTMLMetaElement>('meta[name="toolbooth-base"]');
  return (tag?.content ?? "").replace(/\/+$/, "");
}

/** A whole address for what leaves the page: links in letters, the way back from a social sign-in. */
export const addressOf = (path: string): string => `${location.origin}${base()}${path}`;

/**
 * Where to go after signing in: only a path of these pages. Anything else, `//evil.example` and `/\evil.example`
 * included, leads home. The path is without the base, as the router knows it.
 */
export function safeNext(next: unknown): string {
  if (typeof next !== "string" || !/^\/(?![/\\])/.test(next)) return "/home";
  const url = URL.parse(next, "https://pages.invalid");
  if (url === null || url.origin !== "https://pages.invalid") return "/home";
  return /^\/(?:sign-in|sign-up)\b/.test(url.pathname)
    ? "/home"
    : url.pathname + url.search + url.hash;
}
