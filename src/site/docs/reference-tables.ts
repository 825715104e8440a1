import { RATE_HEADERS, REQUEST_HEADERS, responseHeaders } from "#api/openapi/headers.ts";
import { ERROR_CODES, problemExamples } from "#api/openapi/problems.ts";
import { sizeInWords } from "#api/openapi/words.ts";
import { bodyTypesOf } from "#calls/body-types.ts";
import { counted } from "#counted.ts";
import { ERRORS } from "#errors.ts";
import {
  FORM_PARTS_MAX,
  HEADER_BYTES_MAX,
  HEADERS_TIMEOUT_MS,
  JSON_DEPTH_MAX,
  REQUEST_TIMEOUT_MS,
} from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { layOutJson } from "../json-layout.ts";
import { lastsText } from "../offer-text.ts";
import { type PageOptions, type SettingShown, signUpIsOpen } from "../page-options.ts";
import { ERROR_TEXTS } from "./error-texts.ts";
import { fence, inlineCode, sentence, table } from "./markdown.ts";

/** Tables that are made from the code that they describe, as Markdown. */

export const errorsTable = (): string =>
  table(
    ["Code", "Status", "Meaning"],
    ERROR_CODES.map((code) => [
      `[\`${code}\`](#${code})`,
      String(ERRORS[code].status),
      sentence(ERRORS[code].title),
    ]),
  );

/** A section for every code. Its heading is the code alone, so that `/docs/errors#<code>` leads there. */
export function errorEntries(options: PageOptions): string {
  const examples = problemExamples(options);
  return ERROR_CODES.map((code) => {
    const { status, title } = ERRORS[code];
    const { cause, cure } = ERROR_TEXTS[code];
    return [
      `## \`${code}\`\n`,
      `**${status}** ${sentence(title)}.\n`,
      `**Cause:** ${sentence(cause)}\n`,
      `**What to do:** ${sentence(cure)}\n`,
      fence("json", layOutJson(examples[code]?.value)),
    ].join("\n");
  }).join("\n");
}

/** The types that each tool takes and responds with. */
export const typesTable = (tools: readonly Tool[]): string =>
  table(
    ["Tool", "Content-Type besides JSON", "Accept besides JSON"],
    tools.map((tool) => {
      const types = bodyTypesOf(tool);
      const given = (tool.representations ?? []).map(({ type }) => type);
      const list = (types: string[]) => types.map(inlineCode).join(", ") || "none";
      const taken = tool.file === undefined ? list(types.slice(1)) : `${list(types)}, and no JSON`;
      return [inlineCode(tool.name), taken, list(given)];
    }),
  );

export function limitsTable(tools: readonly Tool[]): string {
  const ofTools = tools.flatMap(({ name, fieldBytesMax, verbatim, bodyBytesMax, file }) => [
    ...(file === undefined ? [] : [[`\`${name}\`: file`, sizeInWords(file.bytesMax)]]),
    ...Object.entries(fieldBytesMax).map(([field, bytes]) => [
      `\`${name}\`: \`${field}\``,
      `${sizeInWords(bytes)} of UTF-8`,
    ]),
    [
      `\`${name}\`: ${file === undefined ? "body" : "texts of a form"}`,
      sizeInWords(verbatim?.bytesMax ?? bodyBytesMax),
    ],
  ]);
  return table(
    ["Applies to", "Limit"],
    [
      ...ofTools,
      ["Form", `${FORM_PARTS_MAX} fields, a file included`],
      ["Nesting of JSON", `${JSON_DEPTH_MAX} levels`],
      ["Request line and headers", sizeInWords(HEADER_BYTES_MAX)],
      ["Time for the headers to arrive", `${HEADERS_TIMEOUT_MS / 1_000} seconds`],
      ["Time for the whole request to arrive", `${REQUEST_TIMEOUT_MS / 1_000} seconds`],
    ],
  );
}

/** A default is a value, shown as code, or a phrase. */
export const settingsTable = (settings: readonly SettingShown[]): string =>
  table(
    ["Setting", "Default", "Meaning"],
    settings.map(({ name, fallback, meaning }) => [
      inlineCode(name),
      fallback === ""
        ? "unset"
        : fallback.includes(" ")
          ? sentence(fallback)
          : inlineCode(fallback),
      sentence(meaning),
    ]),
  );

export const requestHeadersTable = (): string => headersTable(REQUEST_HEADERS);

/** The headers about the rate limit only if this service has one. */
export const responseHeadersTable = ({ name, rateLimit }: PageOptions): string =>
  headersTable(
    Object.entries(responseHeaders({ name }))
      .filter(([name]) => rateLimit > 0 || !RATE_HEADERS.includes(name))
      .map(([name, { description }]) => ({ name, description })),
  );

const headersTable = (headers: readonly { name: string; description: string }[]): string =>
  table(
    ["Header", "Meaning"],
    headers.map(({ name, description }) => [inlineCode(name), sentence(description)]),
  );

/** The kinds of grants that this service makes. */
export function grantsTable(options: PageOptions): string {
  const { starter, prices } = options.dashboard;
  const terms = [...new Set(prices.packs.map(({ months }) => months))];
  const term = (months: number | null) =>
    months === null ? "never" : `${lastsText(months)} after payment`;
  const rows: string[][] = [];
  if (starter.credits > 0 && signUpIsOpen(options)) {
    rows.push([
      "Starter",
      `Once, when you first sign in: ${counted(starter.credits, "credit")}`,
      `After ${counted(starter.days, "day")}`,
    ]);
  }
  if (terms.length > 0)
    rows.push(["Pack", "When you pay for a pack", terms.map(term).join(", or ")]);
  if (prices.lifetime) {
    rows.push([
      "Lifetime plan",
      `Once, when you pay for the plan: ${counted(prices.lifetime.credits, "credit")}`,
      "Never",
    ]);
  }
  rows.push(["Operator", "When the operator grants it", "Never, or on the date the operator sets"]);
  return table(["Grant", "When you get it", "When it expires"], rows);
}
