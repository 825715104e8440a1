import { html } from "./html.ts";
import { basePath } from "./page-links.ts";

/** What is of nobody's but the person who is signed in, or no page at all. */
const NOT_FOR_SEARCH = [
  "/api/",
  "/people/",
  "/home",
  "/settings/",
  "/usage",
  "/credits",
  "/verify-email",
  "/reset-password",
];

/** `/robots.txt` (RFC 9309). It counts only where the service is published at the root of a name. */
export function robotsText(publicUrl: string): string {
  const base = basePath(publicUrl);
  const rules = NOT_FOR_SEARCH.map((path) => `Disallow: ${base}${path}`);
  return ["User-agent: *", ...rules, "", `Sitemap: ${publicUrl}/sitemap.xml`, ""].join("\n");
}

/** `/sitemap.xml` (sitemaps.org, protocol 0.9): the pages that are worth finding. */
export function sitemapXml(publicUrl: string, paths: readonly string[]): string {
  const entries = paths.map((path) => html`<url><loc>${publicUrl}${path}</loc></url>\n`);
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries}</urlset>
`.text;
}
