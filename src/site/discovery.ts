import type { ApiOptions } from "#api/openapi/document.ts";
import { callPrice } from "#api/openapi/price-text.ts";
import { html } from "./html.ts";
import { basePath } from "./page-links.ts";

/** What is of nobody's but the person who is signed in, or no page at all. */
const NOT_FOR_SEARCH = [
  "/api/",
  "/dashboard/",
  "/home",
  "/settings/",
  "/usage",
  "/credits",
  "/verify-email",
  "/reset-password",
  "/unsubscribe",
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

/** `/llms.txt` (llmstxt.org): what an agent needs to call the tools, in one reading. */
export function llmsText({ publicUrl, tools: all }: ApiOptions): string {
  const tools = all.map(
    ({ name, summary }) =>
      `- [${name}](${publicUrl}/docs/reference#${name}): POST ${publicUrl}/api/v1/${name}. ${summary}`,
  );
  return `# Toolbooth

> Five developer tools over JSON and HTTP. Every call is a POST with a JSON body and the header \`Authorization: Bearer <API key>\`; a successful call costs ${callPrice(all)}, a refusal nothing.

An answer has \`"ok": true\`; a refusal is a problem of RFC 9457 with a stable \`code\` and says what to do. With the header \`Idempotency-Key\` a repeat within 24 hours gets the same answer without a charge. \`Credits-Remaining\` tells the balance with every answer.

## Tools

${tools.join("\n")}

## Reading

- [OpenAPI 3.1](${publicUrl}/openapi.json): every field, header and refusal, for programs
- [Calls](${publicUrl}/docs/calls): authentication, credits, limits, retries
- [Errors](${publicUrl}/docs/errors): cause and cure of every code
- [Quick start](${publicUrl}/docs): a key and a first call
`;
}
