import { ERRORS } from "#errors.ts";
import type { ApiOptions, OpenApiDocument, Operation } from "../openapi-document.ts";
import { guide } from "../openapi-guide.ts";
import { ERROR_CODES } from "../openapi-refusals.ts";
import { methodBadge, statusBadge } from "./code-block.ts";
import { guideSection, scrollTable } from "./guide-blocks.ts";
import { type Html, html, prose } from "./html.ts";
import { type ContentsGroup, pageLinks, renderPage } from "./shell.ts";
import { toolName, toolSection } from "./tool-section.ts";

/** The reference page, made from the same document that programs read at `/openapi.json`. */
export function docsPage(document: OpenApiDocument, options: ApiOptions): string {
  const sections = guide(options);
  const tools = operationsOf(document, "Tools");
  const contents: ContentsGroup[] = [
    {
      title: "Guide",
      entries: sections.map(({ id, title }) => ({ href: `#${id}`, label: title })),
    },
    {
      title: "Tools",
      entries: tools.map(({ path }) => ({
        href: `#${toolName(path)}`,
        label: html`<code>${toolName(path)}</code>`,
      })),
    },
    {
      title: "Reference",
      entries: [
        { href: "#refusals", label: "Refusals" },
        { href: "#headers", label: "Headers" },
        { href: "#operation", label: "For operators" },
      ],
    },
  ];
  const main = html`<h1>Documentation</h1>
<p class="lead">${prose(document.info.summary)} JSON in, JSON out, one credit a call.</p>
${sections.map(guideSection)}
<section aria-labelledby="tools"><h2 id="tools"><a href="#tools">Tools</a></h2>
<p class="prose">The key is expected in the environment variable <code>TOOLBOOTH_KEY</code>. Answers are indented here to be read; the service sends them in one line.</p>
${tools.map(({ path, operation }) => toolSection(document, path, operation))}</section>
${refusalsSection(options)}${headersSection(document)}${operatorSection(document)}`;
  return renderPage(
    {
      title: "Documentation - Toolbooth",
      description:
        "How to call the tools: authentication, credits, limits, every field and every refusal.",
      current: "docs",
      contents,
      main,
    },
    options,
  );
}

type Placed = { path: string; operation: Operation };

const operationsOf = (document: OpenApiDocument, tag: string): Placed[] =>
  Object.entries(document.paths).flatMap(([path, { get, post }]) =>
    [get, post]
      .filter((operation) => operation?.tags.includes(tag))
      .map((operation) => ({ path, operation: operation as Operation })),
  );

function refusalsSection({ publicUrl }: ApiOptions): Html {
  const { errors } = pageLinks(publicUrl);
  const rows = ERROR_CODES.map((code) => [
    html`<a href="${errors}#${code}"><code>${code}</code></a>`,
    statusBadge(ERRORS[code].status),
    ERRORS[code].title,
  ]);
  return html`<section aria-labelledby="refusals"><h2 id="refusals"><a href="#refusals">Refusals</a></h2>
<p class="prose">A refusal costs nothing. Each code leads to its cause and its cure.</p>
${scrollTable("Refusals", ["Code", "Status", "Meaning"], rows)}</section>
`;
}

function headersSection({ components }: OpenApiDocument): Html {
  const sent = Object.values(components.parameters).map(({ name, description }) => [
    html`<code>${name}</code>`,
    prose(description),
  ]);
  const received = Object.entries(components.headers).map(([name, { description }]) => [
    html`<code>${name}</code>`,
    prose(description),
  ]);
  return html`<section aria-labelledby="headers"><h2 id="headers"><a href="#headers">Headers</a></h2>
<h3>Of a request</h3>
<p>Beside <code>Authorization</code> and <code>Content-Type</code>; all optional.</p>
${scrollTable("Headers of a request", ["Header", "Meaning"], sent)}
<h3 class="later">Of an answer</h3>
${scrollTable("Headers of an answer", ["Header", "Meaning"], received)}</section>
`;
}

function operatorSection(document: OpenApiDocument): Html {
  const rows = operationsOf(document, "Operation").map(({ path, operation }) => [
    html`${methodBadge("GET")} <code>${path}</code>`,
    html`${prose(operation.summary)}<small>${prose(operation.description)}</small>`,
  ]);
  return html`<section aria-labelledby="operation"><h2 id="operation"><a href="#operation">For operators</a></h2>
<p class="prose">${document.tags.find(({ name }) => name === "Operation")?.description}</p>
${scrollTable("Endpoints for operators", ["Endpoint", "What it tells"], rows)}</section>
`;
}
