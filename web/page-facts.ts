import type { ServiceShown } from "#site/app-shell.ts";

let shown: ServiceShown | null = null;

/** What the server says of this service in the head of every page that React draws. */
export function service(): ServiceShown {
  if (shown !== null) return shown;
  const tag = document.querySelector<HTMLMetaElement>('meta[name="tb-service"]');
  if (tag === null) throw new Error("The page does not say what service it belongs to");
  shown = JSON.parse(tag.content) as ServiceShown;
  return shown;
}

/** The tools that have a page, and those that run on it. */
export const toolsWithPage = () => service().tools.filter(({ page }) => page !== null);
export const browserTools = () => service().tools.filter(({ page }) => page === "browser");
