import type { ApiOptions } from "./document.ts";
import { REQUEST_HEADERS } from "./headers.ts";
import { callPrice } from "./price-text.ts";

/** The description of the API as Markdown, for `info.description`: enough to make calls. The documentation has the rest. */
export function describeService(options: ApiOptions): string {
  const { publicUrl, tools } = options;
  return [
    `Send a JSON body, or one of the types that an operation lists, with POST to \`${publicUrl}/api/v1/{tool}\`, with an API key in the header \`Authorization: Bearer <API key>\`.`,
    `A successful call costs ${callPrice(tools)} and responds with 200 and \`ok\` true. An error is a problem document (RFC 9457) with \`ok\` false and a \`code\` that never changes its meaning. It costs nothing, unless it says that the call may have been charged (\`charged\`); such a charge is reversed, or kept for the repeat with the same \`Idempotency-Key\`. The first successful call of an account may be free: \`Credits-Charged\` says what a call cost.`,
    ...priceTable(options),
    "You can send these headers with every call:",
    REQUEST_HEADERS.map(({ name, description }) => `- \`${name}\`: ${description}`).join("\n"),
    "Within `/api/v1/` we only add: new tools, optional fields, response members, error codes and values of enumerations. Ignore members that you do not recognize, and expect values that this description does not list (`x-extensible-enum` lists those of today).",
    "Fields with a default are optional. The default is in the description and in `x-default`.",
    `The documentation explains [how to make calls](${publicUrl}/docs/calls), [every error code](${publicUrl}/docs/errors) and [credits](${publicUrl}/docs/credits).`,
  ].join("\n\n");
}

/** The price of each tool, if prices differ. */
function priceTable({ tools }: ApiOptions): string[] {
  if (new Set(tools.map(({ price }) => price)).size < 2) return [];
  const rows = tools.map(({ name, price }) => `| \`${name}\` | ${whole(price)} |`);
  return [["| Tool | Credits per call |", "| --- | --- |", ...rows].join("\n")];
}

const whole = (value: number) => value.toLocaleString("en-US");

/** `1 MB (1,048,576 bytes)`; other sizes only in bytes. */
export function sizeInWords(bytes: number): string {
  for (const [unit, size] of [
    ["MB", 1024 * 1024],
    ["KB", 1024],
  ] as const) {
    if (bytes % size === 0) return `${whole(bytes / size)} ${unit} (${whole(bytes)} bytes)`;
  }
  return `${whole(bytes)} bytes`;
}
