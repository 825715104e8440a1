import type {
  JsonSchema,
  MediaType,
  NamedExample,
  OpenApiDocument,
  Operation,
  RequestBody,
} from "#api/openapi/document.ts";
import { codeBlock, jsonCode, methodBadge, shorten } from "./code-block.ts";
import { type Html, type HtmlPart, html, paragraphs, prose } from "./html.ts";
import { curlCode } from "./request-code.ts";
import { languageTabs } from "./request-tabs.ts";
import { schemaTable } from "./schema-table.ts";

/** Everything about one tool: what it does, its fields, its answer, and its examples beside them. */
export function toolSection(document: OpenApiDocument, path: string, operation: Operation): Html {
  const name = toolName(path);
  const request = jsonContent(operation.requestBody);
  const response = jsonContent(operation.responses["200"]);
  const { required, description } = operation.requestBody as RequestBody;
  return html`<section class="tool split" aria-labelledby="${name}">
<div>
<h2 id="${name}"><a href="#${name}">${name}</a></h2>
<div class="route">${methodBadge("POST")}<span>${path}</span></div>
<p class="lead">${prose(operation.summary)}</p>
<div class="prose">${paragraphs(operation.description)}</div>
<h3 class="label">Request</h3>
${schemaTable(
  `Fields of a ${name} request`,
  "request",
  resolveSchema(document, request.schema),
  operation["x-limits"]?.fieldBytesMax,
)}
<p class="small soft">${prose(description)} ${!required && "The body may be left out."}</p>
<h3 class="label">Answer</h3>
${schemaTable(`Fields of a ${name} answer`, "response", resolveSchema(document, response.schema))}
</div>
<div class="aside">${examplePairs(document, path, request, response)}</div>
</section>
`;
}

export const toolName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The first example is shown in three languages, the others are there for whoever opens them. */
function examplePairs(
  document: OpenApiDocument,
  path: string,
  request: MediaType,
  response: MediaType,
): HtmlPart {
  const url = `${document.servers[0]?.url ?? ""}${path}`;
  const results = response.examples ?? {};
  return Object.entries(request.examples ?? {}).map(([key, asked], index) => {
    const { summary, value } = asked as NamedExample;
    const responded = results[key] as NamedExample | undefined;
    const call = { url, body: value };
    if (index === 0) {
      return [
        languageTabs(toolName(path), call),
        responded !== undefined && responseBlock(responded),
      ];
    }
    return html`<details class="more"><summary>${summary}</summary>
${codeBlock("Request", curlCode(call))}${responded !== undefined && responseBlock(responded)}</details>
`;
  });
}

function responseBlock({ value }: NamedExample): Html {
  const shown = shorten(value);
  return codeBlock(shown.cut ? "Answer, long texts cut" : "Answer", jsonCode(shown.value), {
    status: 200,
  });
}

const jsonContent = (of: unknown): MediaType =>
  (of as { content: Record<string, MediaType> }).content["application/json"] as MediaType;

/** A schema where it stands, or the named one that it refers to. */
function resolveSchema({ components }: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : (components.schemas[name] ?? {});
}
