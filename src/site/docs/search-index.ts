import { type PageOptions, toolsWithPage } from "../page-options.ts";
import type { RenderedPage } from "./render-page.ts";

/** One thing that the search finds: a section of a page, an error code, a setting or a tool. */
export type SearchEntry = {
  /** The page that it is on, as the navigation names it. */
  page: string;
  /** The heading; empty at the beginning of a page. */
  title: string;
  /** The path of the page, with the id of the heading, below the path of the service. */
  href: string;
  text: string;
};

/** Settings are rows of a table (`render-page.ts` gives them ids); everything else that is found has a heading. */
const SETTING_ROW = /<tr id="([A-Z][A-Z0-9_]+)">([\s\S]*?)<\/tr>/g;

export function searchEntries(label: string, path: string, page: RenderedPage): SearchEntry[] {
  const sections = page.sections.map(({ id, title, text }) => ({
    page: label,
    title,
    href: id === "" ? path : `${path}#${id}`,
    text,
  }));
  const settings = [...page.body.matchAll(SETTING_ROW)].map(([, name = "", cells = ""]) => ({
    page: label,
    title: name,
    href: `${path}#${name}`,
    text: cells
      .replaceAll("<wbr>", "")
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")
      .trim(),
  }));
  return [...sections, ...settings];
}

/** The pages of the tools, where the service has them. */
export const toolEntries = (options: PageOptions): SearchEntry[] =>
  toolsWithPage(options).map(({ name, title, summary }) => ({
    page: "Tools",
    title,
    href: `/tools/${name}`,
    text: summary.replaceAll("`", ""),
  }));
