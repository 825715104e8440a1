import { BODY_ARGUMENT, hasBodyArgument } from "#api/mcp/describe-tools.ts";
import { firstCall } from "../first-call.ts";
import { layOutJson } from "../json-layout.ts";
import type { PageOptions } from "../page-options.ts";
import { curlCode, curlKey, curlLines, SAMPLE_KEY, shellQuote, traitsOf } from "../request-code.ts";
import { fence } from "./markdown.ts";
import { responseOf, samples } from "./tool-reference.ts";

/** The first call of a service as the pages of the documentation show it, as Markdown. */

/** In every language, with its response. */
export function sampleCall(options: PageOptions): string {
  const [example] = firstCall(options.tools).tool.examples;
  const call = samples(callOf(options));
  return example === undefined ? call : [call, responseOf(example.response)].join("\n");
}

export const curlSample = (options: PageOptions): string => fence("sh", curlCode(callOf(options)));

/** With an idempotency key. */
export const repeatSample = (options: PageOptions): string =>
  fence("sh", curlCode({ ...callOf(options), needsKey: true }));

/** Over MCP, with curl. */
export const mcpSample = (options: PageOptions): string =>
  fence(
    "sh",
    curlLines(`${options.publicUrl}/mcp`, [
      `-H ${curlKey()}`,
      '-H "Content-Type: application/json"',
      `-d ${shellQuote(JSON.stringify(messageOf(options)))}`,
    ]),
  );

/** A message of MCP with an idempotency key. */
export const mcpRepeatSample = (options: PageOptions): string =>
  fence("json", layOutJson(messageOf(options, true)));

function callOf({ publicUrl, tools }: PageOptions) {
  const { tool, request } = firstCall(tools);
  return { url: `${publicUrl}/api/v1/${tool.name}`, body: request, ...traitsOf(tool) };
}

function messageOf({ tools }: PageOptions, isRepeated = false) {
  const { tool, request = {} } = firstCall(tools);
  const hasKey = isRepeated || tool.effect === "act";
  const args = hasBodyArgument(tool) ? { [BODY_ARGUMENT]: request } : request;
  const meta = { _meta: { "toolbooth/idempotency-key": SAMPLE_KEY } };
  const params = { name: tool.name, arguments: args, ...(hasKey && meta) };
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params };
}
