import type { ApiOptions } from "#api/openapi/document.ts";
import { callPrice, havePrices, priceText } from "#api/openapi/words.ts";
import { type Brand, hasOwnName } from "#brand.ts";
import { withFullStop } from "#tools/text.ts";
import { type DocsEntry, docsSlugOf } from "./docs/navigation.ts";
import { html } from "./markup.ts";
import { basePath } from "./page-links.ts";

/** Pages that belong to a signed-in user, and paths that are no pages. */
const NOT_FOR_SEARCH = [
  "/api/",
  "/dashboard/",
  "/home",
  "/settings/",
  "/requests",
  "/usage",
  "/credits",
  "/unsubscribe",
];

/** `/robots.txt` (RFC 9309). Crawlers read it only at the root of a host. */
export function robotsText(publicUrl: string): string {
  const base = basePath(publicUrl);
  const rules = NOT_FOR_SEARCH.map((path) => `Disallow: ${base}${path}`);
  return ["User-agent: *", ...rules, "", `Sitemap: ${publicUrl}/sitemap.xml`, ""].join("\n");
}

/** Below a year, as RFC 9116, section 2.5.5, recommends. */
const SECURITY_TEXT_DAYS = 180;

/** `/.well-known/security.txt` (RFC 9116): where to report a vulnerability. */
export function securityText(
  { publicUrl, ...brand }: Pick<Brand, "name"> & { publicUrl: string },
  contact: string,
  now: number,
): string {
  const expires = new Date(now + SECURITY_TEXT_DAYS * 86_400_000);
  expires.setUTCHours(0, 0, 0, 0);
  return `Contact: ${contact}
Expires: ${expires.toISOString()}
Preferred-Languages: en
Canonical: ${publicUrl}${SECURITY_TEXT_PATH}
${hasOwnName(brand) ? "" : `Policy: ${publicUrl}/docs/security\n`}`;
}

export const SECURITY_TEXT_PATH = "/.well-known/security.txt";

/** `/sitemap.xml` (sitemaps.org, protocol 0.9): the pages that search engines may show. */
export function sitemapXml(publicUrl: string, paths: readonly string[]): string {
  const entries = paths.map((path) => html`<url><loc>${publicUrl}${path}</loc></url>\n`);
  return String(html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries}</urlset>
`);
}

/** `/llms.txt` (llmstxt.org): what an agent needs to call the tools, with links to the pages as Markdown. */
export function llmsText(
  { publicUrl, name, tools }: ApiOptions,
  pages: readonly DocsEntry[],
): string {
  const toolLines = tools.map((tool) =>
    [
      `- [${tool.name}](${publicUrl}/docs/${docsSlugOf(tool)}.md): POST ${publicUrl}/api/v1/${tool.name}.`,
      withFullStop(tool.summary),
      ...(havePrices(tools) ? [`A call costs ${priceText(tool)}.`] : []),
      ...(tool.effect === "act" ? ["It changes something, and needs an `Idempotency-Key`."] : []),
    ].join(" "),
  );
  const isTool = new Set(tools.map(docsSlugOf));
  const sections = Map.groupBy(
    pages.filter(({ slug }) => !isTool.has(slug)),
    ({ section }) => section,
  );
  const pageLines = [...sections].map(
    ([section, entries]) =>
      `## ${section}\n\n${entries
        .map(
          ({ slug, label, description }) =>
            `- [${label}](${publicUrl}/docs/${slug}.md): ${description}`,
        )
        .join("\n")}\n`,
  );
  return `# ${name}

> ${toolCount(tools.length)} over HTTP. Every call is a POST with JSON, a file or query parameters, and the header \`Authorization: Bearer <API key>\`. A successful call costs ${callPrice(tools)}; an error costs nothing, unless it says that the call may have been charged (\`charged\`).

A response with status 200 has \`"ok": true\`, unless \`Accept\` asks for the bare result (\`image/png\`, \`text/html\`, \`text/plain\`, …)${tools.some(({ passThrough }) => passThrough) ? " or the tool passes on what another service responds" : ""}. An error is a problem document (RFC 9457) with a stable \`code\` and a \`detail\` that says what to do. If you repeat a call with the same \`Idempotency-Key\` header within 24 hours, you get the first response again and are not charged. Responses to calls with a valid key have the balance in \`Credits-Remaining\`.

## API

- [OpenAPI 3.1](${publicUrl}/openapi.json): every field, header and error, for programs
- GET ${publicUrl}/api/v1/account: the balance, plan and rate limit of an API key; free
- POST ${publicUrl}/api/v1/{tool}/quote: what a call with the same body costs your account; free
- POST ${publicUrl}/mcp: the tools for agents (Model Context Protocol, streamable HTTP), with the same key

## Tool reference

${toolLines.join("\n")}

${pageLines.join("\n")}`;
}

const toolCount = (count: number): string =>
  count === 1 ? "One tool" : `${count === 5 ? "Five" : count} tools`;
