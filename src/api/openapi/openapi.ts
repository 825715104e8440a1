import { keyPattern } from "#accounts/key-format.ts";
import { hasOwnName } from "#brand.ts";
import type { Tool } from "#tools/define-tool.ts";
import { ACCOUNT, describeAccount } from "./account.ts";
import type { ApiOptions, OpenApiDocument, Operation, PathItem } from "./document.ts";
import { REQUEST_HEADERS, REQUIRED_KEY, responseHeaders, responseHeadersOf } from "./headers.ts";
import {
  PROBLEM,
  problemExamples,
  problemResponses,
  quoteProblems,
  toolProblems,
} from "./problems.ts";
import { QUOTE, quoteResponse, sampleCharge } from "./quote.ts";
import { inputSchema, responseComponents, takesFields } from "./schemas.ts";
import { bareResponses, namesOf, otherBodies, toolExamples, toolSchemas } from "./tool-schemas.ts";
import { callPrice, havePrices, priceCell, priceText, sizeInWords } from "./words.ts";

/**
 * Describes the API in OpenAPI 3.1. It is derived from the tools (schemas, limits, examples, prices) and the table of errors. The
 * fuzz test checks every response against it. Operations have no parameters but a required idempotency key: importers (Postman) would send
 * those of the query with every call, besides the same fields in the body.
 */
export function describeApi(options: ApiOptions): OpenApiDocument {
  const { publicUrl, tools, version } = options;
  return {
    openapi: "3.1.0",
    info: {
      title: options.name,
      version,
      summary: hasOwnName(options)
        ? "Tools as metered HTTP endpoints."
        : "Small developer tools as metered HTTP endpoints.",
      description: describeService(options),
      ...(options.contact && { contact: contactOf(options.contact) }),
      // That of the software, whose name the service then has.
      ...(!hasOwnName(options) && { license: { name: "MIT", identifier: "MIT" } }),
    },
    servers: [{ url: publicUrl, description: "This service." }],
    externalDocs: { url: `${publicUrl}/docs`, description: "The documentation." },
    security: [{ apiKey: [] }],
    tags: [
      {
        name: "Tools",
        description: `The tools. A successful call costs ${callPrice(tools)}.`,
      },
      {
        name: "Account",
        description: "The account of an API key. It is free.",
      },
    ],
    paths: {
      ...Object.fromEntries(
        tools.flatMap((tool): [string, PathItem][] => [
          [`/api/v1/${tool.name}`, { post: describeTool(tool, options) }],
          ...(tool.priceOf === undefined ? [] : [describeQuote(tool, options)]),
        ]),
      ),
      "/api/v1/account": { get: describeAccount(options) },
    },
    components: {
      schemas: {
        ...Object.assign({}, ...tools.map(toolSchemas)),
        ...responseComponents(ACCOUNT),
        ...(tools.some(({ priceOf }) => priceOf !== undefined) ? responseComponents(QUOTE) : {}),
        ...responseComponents(PROBLEM),
      },
      responses: problemResponses(options),
      headers: responseHeaders(options),
      examples: problemExamples(options),
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: keyPattern(options.keyPrefix),
          description: "An API key of the account that pays for the call.",
        },
      },
    },
  };
}

const contactOf = (contact: string) =>
  contact.startsWith("https:") ? { url: contact } : { email: contact };

/** The description of the API as Markdown, for `info.description`: enough to make calls. The documentation has the rest. */
function describeService(options: ApiOptions): string {
  const { publicUrl, tools } = options;
  return [
    `Send a JSON body, or one of the types that an operation lists, with POST to \`${publicUrl}/api/v1/{tool}\`, with an API key in the header \`Authorization: Bearer <API key>\`.`,
    `A successful call costs ${callPrice(tools)} and responds with 200 and \`ok\` true${tools.some(({ passThrough }) => passThrough) ? ", unless the tool passes on what another service responds" : ""}. An error is a problem document (RFC 9457) with \`ok\` false and a \`code\` that never changes its meaning. It costs nothing, unless it says that the call may have been charged (\`charged\`); such a charge is reversed, or kept for the repeat with the same \`Idempotency-Key\`. The first successful call of an account may be free: \`Credits-Charged\` says what a call cost.`,
    ...priceTable(options),
    `\`POST ${publicUrl}/api/v1/{tool}/quote\` with the same request shows what a call of any tool costs your account, and costs nothing. It is an operation here where the price depends on the input.`,
    "You can send these headers with every call:",
    REQUEST_HEADERS.map(({ name, description }) => `- \`${name}\`: ${description}`).join("\n"),
    "Within `/api/v1/` we only add: new tools, optional fields, response members, error codes and values of enumerations. Ignore members that you do not recognize, and expect values that this description does not list (`x-extensible-enum` lists those of today).",
    "Fields with a default are optional. The default is in the description and in `x-default`.",
    `The documentation explains [how to make calls](${publicUrl}/docs/calls), [every error code](${publicUrl}/docs/errors) and [credits](${publicUrl}/docs/credits).`,
  ].join("\n\n");
}

/** The price of each tool, if prices differ. */
function priceTable({ tools }: ApiOptions): string[] {
  if (!havePrices(tools)) return [];
  const rows = tools.map((tool) => `| \`${tool.name}\` | ${priceCell(tool)} |`);
  return [["| Tool | Credits per call |", "| --- | --- |", ...rows].join("\n")];
}

function describeTool(tool: Tool<unknown>, options: ApiOptions): Operation {
  const names = namesOf(tool);
  const [requests, responses] = toolExamples(tool);
  return {
    operationId: names.operation,
    summary: tool.summary,
    description: [
      tool.description,
      ...(tool.effect === "act" ? [NEEDS_KEY] : []),
      ...(tool.priceOf === undefined ? [] : [`A call costs ${priceText(tool)}.`]),
    ].join(" "),
    tags: ["Tools"],
    ...(tool.effect === "act" && { parameters: [REQUIRED_KEY] }),
    requestBody: {
      description: describeBody(tool),
      required: tool.body === "required" || tool.file !== undefined,
      content: {
        ...(tool.file === undefined && {
          "application/json": {
            schema: { $ref: `#/components/schemas/${names.input}` },
            examples: requests,
          },
        }),
        ...otherBodies(tool),
      },
    },
    responses: {
      "200": {
        description: "The call succeeded.",
        headers: responseHeadersOf("tool", options, sampleCharge(tool)),
        content: {
          "application/json": {
            schema: { $ref: `#/components/schemas/${names.result}` },
            examples: responses,
          },
          ...bareResponses(tool),
        },
      },
      ...toolProblems(),
    },
    "x-price": tool.priceOf === undefined ? { credits: tool.price } : { creditsMax: tool.price },
    "x-limits": {
      bodyBytesMax: tool.bodyBytesMax,
      fieldBytesMax: tool.fieldBytesMax,
      ...(tool.file && { fileBytesMax: tool.file.bytesMax }),
    },
  };
}

/** The price of a call, where it depends on the input. The body is that of the call. */
function describeQuote(tool: Tool<unknown>, options: ApiOptions): [path: string, PathItem] {
  const { requestBody } = describeTool(tool, options);
  const withoutFile = tool.file === undefined ? {} : { required: false };
  return [
    `/api/v1/${tool.name}/quote`,
    {
      post: {
        operationId: namesOf(tool).quote,
        summary: `Show what a call of ${tool.name} costs`,
        description: `Checks the same body and headers as a call, except for \`Idempotency-Key\`, and returns the price of that call for the account of the key.${tool.file === undefined ? "" : " The file may be left out."} The tool does not run. It costs no credits, whatever the balance, and counts against the rate limit like a call.`,
        tags: ["Tools"],
        ...(requestBody && { requestBody: { ...requestBody, ...withoutFile } }),
        responses: { "200": quoteResponse(options), ...quoteProblems() },
      },
    },
  ];
}

function describeBody(tool: Tool<unknown>): string {
  const { rawBody, verbatim, bodyBytesMax, file } = tool;
  if (file !== undefined)
    return `A file of at most ${sizeInWords(file.bytesMax)}, with the other fields as parameters of the query; or a form with the file and the fields. It may be compressed with gzip.`;
  const raw = rawBody === undefined ? "" : `, or the \`${rawBody.field}\` alone`;
  const hasFields = verbatim === undefined && takesFields(inputSchema(tool));
  const form = hasFields ? ", or a form" : "";
  const query = hasFields ? " The query may have fields in place of the body." : "";
  return `JSON in UTF-8${raw}${form}; as JSON at most ${sizeInWords(verbatim?.bytesMax ?? bodyBytesMax)}. It may be compressed with gzip.${query}`;
}

const NEEDS_KEY =
  "It changes something, so each call needs the header `Idempotency-Key` with a new value, and never runs twice under it.";
