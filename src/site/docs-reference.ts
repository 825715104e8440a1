import type { OpenApiDocument, Operation } from "#api/openapi/document.ts";
import type { DocsPage } from "./docs-frame.ts";
import { scrollTable } from "./guide-blocks.ts";
import { type Html, html, prose } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";
import { toolName, toolSection } from "./tool-section.ts";

/** The reference, made from the same document that programs read at `/openapi.json`. */
export function referencePage(document: OpenApiDocument, options: PageOptions): DocsPage {
  const { openapi, docs } = pageLinks(options.publicUrl);
  const tools = operationsOf(document, "Tools");
  return {
    path: "/docs/reference",
    label: "Tool reference",
    title: "Tool reference",
    description:
      "Every field of every request and answer of the Toolbooth API, with examples in curl, JavaScript and Python.",
    lead: html`Every field of every request and answer. For programs the same is at <a href="${openapi}">/openapi.json</a>.`,
    contents: [
      ...tools.map(({ path }) => ({
        id: toolName(path),
        label: html`<code>${toolName(path)}</code>`,
      })),
      { id: "headers", label: "Headers" },
    ],
    body: html`<p class="prose">The key is expected in the environment variable <code>TOOLBOOTH_KEY</code> (<a href="${docs}#get-a-key">get one</a>). Answers are indented here to be read; the service sends them in one line.</p>
${tools.map(({ path, operation }) => toolSection(document, path, operation))}${headersSection(document)}`,
  };
}

export type Placed = { path: string; operation: Operation };

export const operationsOf = (document: OpenApiDocument, tag: string): Placed[] =>
  Object.entries(document.paths).flatMap(([path, { get, post }]) =>
    [get, post]
      .filter((operation) => operation?.tags.includes(tag))
      .map((operation) => ({ path, operation: operation as Operation })),
  );

function headersSection({ components }: OpenApiDocument): Html {
  const rows = (headers: { name: string; description: string }[]) =>
    headers.map(({ name, description }) => [html`<code>${name}</code>`, prose(description)]);
  const received = Object.entries(components.headers).map(([name, { description }]) => ({
    name,
    description,
  }));
  return html`<section class="tool" aria-labelledby="headers"><h2 id="headers"><a href="#headers">Headers</a></h2>
<h3>Of a request</h3>
<p>Beside <code>Authorization</code> and <code>Content-Type</code>; all optional.</p>
${scrollTable("Headers of a request", ["Header", "Meaning"], rows(Object.values(components.parameters)))}
<h3 class="later">Of an answer</h3>
${scrollTable("Headers of an answer", ["Header", "Meaning"], rows(received))}</section>
`;
}
