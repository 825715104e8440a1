import { KEY_PATTERN } from "#accounts/key-format.ts";
import { createThrottle } from "#ledger/throttle.ts";
import {
  COMPRESS_FROM_BYTES,
  HEADER_BYTES_MAX,
  HEADERS_TIMEOUT_MS,
  HOUR_MS,
  IDEMPOTENCY_KEPT_MS,
  IDEMPOTENCY_KEY_CHARS_MAX,
  JSON_DEPTH_MAX,
  REQUEST_TIMEOUT_MS,
  WORKER_BODY_TIMEOUT_MS,
} from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { ApiOptions } from "./document.ts";
import { callPrice, freeCall } from "./price-text.ts";
import { sampleProblem } from "./problems.ts";

/**
 * What holds for every call, written once: the OpenAPI description shows it as Markdown, the documentation as HTML. In the
 * texts, `backticks` mark code.
 */
export type GuideSection = { id: string; title: string; blocks: GuideBlock[] };

export type GuideBlock =
  | string
  | { list: string[] }
  | { table: { head: string[]; rows: string[][] } }
  | { code: string; language: "http" | "json" | "shell"; label: string };

export function guide(options: ApiOptions): GuideSection[] {
  return [
    calling(options),
    authentication(),
    responses(options),
    credits(options),
    idempotency(options),
    ...(options.rateLimit > 0 ? [rate(options.rateLimit)] : []),
    limits(options),
    compression(),
    browsers(),
    versions(),
  ];
}

const whole = (value: number) => value.toLocaleString("en-US");

const calling = ({ publicUrl, tools }: ApiOptions): GuideSection => ({
  id: "calling",
  title: "Calling a tool",
  blocks: [
    `Send a JSON body with POST to \`${publicUrl}/api/v1/{tool}\`. The response is JSON too. You need no library and no setup.`,
    {
      list: [
        "The body must be UTF-8. The service reads it as JSON whatever its `Content-Type`; with `application/json` you get better error messages.",
        "An unknown field is an error that suggests the nearest known name, so a misspelled option does not cost a credit.",
        "To get the default of a field, leave it out. `null` does not select the default, and a number in a string is not a number.",
        ...withoutBody(tools),
        "Another method on the path of a tool gets 405, with the allowed methods in `Allow`. Another path below `/api/` gets 404.",
      ],
    },
    {
      label: "A first call",
      language: "shell",
      code: `curl ${publicUrl}/api/v1/uuid \\\n  -H "Authorization: Bearer $TOOLBOOTH_KEY" \\\n  -d '{"count": 2}'`,
    },
  ],
});

function withoutBody(tools: readonly Tool[]): string[] {
  const names = tools.filter(({ body }) => body === "optional").map(({ name }) => `\`${name}\``);
  if (names.length === 0) return [];
  return [`You can call ${new Intl.ListFormat("en").format(names)} without a body.`];
}

const authentication = (): GuideSection => ({
  id: "authentication",
  title: "Authentication",
  blocks: [
    "Send an API key as a bearer token with every call. Keys in the URL and other schemes are not supported.",
    `A key is one word of letters and digits (\`${KEY_PATTERN}\`). Its last six characters are a checksum, so that the service recognizes a misspelled key at once and a secret scanner can verify a match.`,
    "The dashboard shows the whole key once, when you create it; the service stores only its SHA-256. Use one key per environment, so that you can revoke one without the others. A revoked key stops working with the next call.",
    {
      label: "The header",
      language: "http",
      code: "Authorization: Bearer tb_…",
    },
  ],
});

const responses = (options: ApiOptions): GuideSection => ({
  id: "responses",
  title: "Responses and errors",
  blocks: [
    "A successful call returns 200 and a JSON object whose `ok` is true. An error returns problem details (RFC 9457) with `ok` false and a `code` that never changes its meaning. Branch on `code`; show `detail` to people.",
    "`errors` lists every fault of the request at once. Errors have the type `application/problem+json`, or `application/json` where `Accept` names only that one.",
    "Every response has the `requestId` in the header `X-Request-Id` too. Send it to the operator when you ask about a call.",
    "The service checks requests in this order: path and method (404, 405), key (401), account (403), rate (429), credits (402), body (413, 400, 415).",
    {
      label: "An error",
      language: "json",
      code: JSON.stringify(sampleProblem("invalid_request", options), null, 2),
    },
  ],
});

const credits = (options: ApiOptions): GuideSection => ({
  id: "credits",
  title: "Credits",
  blocks: [
    `A successful call costs ${callPrice(options.tools)}. Errors cost nothing. ${freeCall(options, "successful call")}`.trimEnd(),
    ...pricesOf(options),
    "The service debits a call once, durably, before it sends the response. An account gets its credits in grants. The grant that expires soonest is spent first, and grants without expiry last. All dates are in UTC.",
    "When the balance is too low, calls fail with 402 `insufficient_credits`, which gives the balance and the price. Ask the operator of this service for more credits.",
    {
      label: "On every response to a known account",
      language: "http",
      code: "Credits-Charged: 1\nCredits-Remaining: 99",
    },
  ],
});

/** The price of each tool, where prices differ. */
function pricesOf({ tools }: ApiOptions): GuideBlock[] {
  if (new Set(tools.map(({ price }) => price)).size < 2) return [];
  const rows = tools.map(({ name, price }) => [`\`${name}\``, whole(price)]);
  return [{ table: { head: ["Tool", "Credits a call"], rows } }];
}

const idempotency = ({ publicUrl }: ApiOptions): GuideSection => ({
  id: "idempotency",
  title: "Repeating a call safely",
  blocks: [
    `Send an \`Idempotency-Key\` (1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters) when you may have to send a call again, for example after a lost connection. A repeat with the same body on the same path within ${IDEMPOTENCY_KEPT_MS / HOUR_MS} hours gets the first response again, byte for byte, and is not charged: \`Credits-Charged: 0\`, \`Idempotency-Replayed: true\`.`,
    {
      list: [
        "The same key with another body gets 400 `idempotency_key_reused`.",
        "A repeat while the first call is still running gets 409 `idempotency_in_progress`, with `Retry-After`.",
        "Only a response with 200 is stored. After an error you can use the key again.",
        "Accounts do not share keys.",
      ],
    },
    {
      label: "A call that can be repeated",
      language: "shell",
      code: `curl ${publicUrl}/api/v1/uuid \\\n  -H "Authorization: Bearer $TOOLBOOTH_KEY" \\\n  -H "Idempotency-Key: order-4711" \\\n  -d '{"count": 2}'`,
    },
  ],
});

function rate(rateLimit: number): GuideSection {
  return {
    id: "rate-limit",
    title: "Rate limit",
    blocks: [
      `An account may make ${whole(rateLimit)} ${rateLimit === 1 ? "call" : "calls"} a second, and up to ${whole(2 * rateLimit)} at once after a pause. Further calls get 429 \`rate_limited\`; \`Retry-After\` says how many seconds to wait.`,
      "Every response to a known account has the headers of the IETF draft `draft-ietf-httpapi-ratelimit-headers`: the limit is `q` calls in `w` seconds, `r` calls are left now, and the whole limit is available again in `t` seconds.",
      {
        label: "On every response to a known account",
        language: "http",
        code: `RateLimit-Policy: ${createThrottle(rateLimit).policy}\nRateLimit: "account";r=${2 * rateLimit - 1};t=1`,
      },
    ],
  };
}

function limits({ tools }: ApiOptions): GuideSection {
  const rows = tools.flatMap((tool) => [
    ...Object.entries(tool.fieldBytesMax).map(([field, bytes]) => [
      `\`${tool.name}\`: \`${field}\``,
      `${sizeInWords(bytes)} of UTF-8`,
    ]),
    [`\`${tool.name}\`: body`, sizeInWords(tool.verbatim?.bytesMax ?? tool.bodyBytesMax)],
  ]);
  return {
    id: "limits",
    title: "Limits",
    blocks: [
      "1 KB is 1,024 bytes and 1 MB is 1,048,576 bytes; a size equal to the limit is allowed. Fields are measured in UTF-8 after decoding. The body may be larger than its text, because JSON escapes take up to six bytes for a character. Over a limit you get 413 `too_large`, which names the limit.",
      {
        table: {
          head: ["Applies to", "Limit"],
          rows: [
            ...rows,
            ["Nesting of JSON", `${JSON_DEPTH_MAX} levels`],
            ["Request line and headers", sizeInWords(HEADER_BYTES_MAX)],
            ["Time for the headers to arrive", `${HEADERS_TIMEOUT_MS / 1000} seconds`],
            ["Time for the whole request to arrive", `${REQUEST_TIMEOUT_MS / 1000} seconds`],
            [
              "Time for the body to arrive, at the edge",
              `${WORKER_BODY_TIMEOUT_MS / 1000} seconds`,
            ],
          ],
        },
      },
    ],
  };
}

/** As in `1 MB (1,048,576 bytes)`; in bytes alone where the size is not a whole number of KB. */
export function sizeInWords(bytes: number): string {
  for (const [unit, size] of [
    ["MB", 1024 * 1024],
    ["KB", 1024],
  ] as const) {
    if (bytes % size === 0) return `${whole(bytes / size)} ${unit} (${whole(bytes)} bytes)`;
  }
  return `${whole(bytes)} bytes`;
}

const compression = (): GuideSection => ({
  id: "compression",
  title: "Compression",
  blocks: [
    `Responses from ${COMPRESS_FROM_BYTES / 1024} KB on are compressed with Brotli or gzip where \`Accept-Encoding\` allows it. You may send a body with \`Content-Encoding: gzip\`; the limits apply to its inflated size too. Other encodings get 415.`,
  ],
});

const browsers = (): GuideSection => ({
  id: "cors",
  title: "Calls from browsers",
  blocks: [
    "Scripts of any origin may call the tools (CORS), without cookies, and may read every response header that is described here. `OPTIONS` on the path of a tool answers the preflight request, which a browser may cache for a day. Everyone can read a key in a public page: create a key for that page alone, and revoke it when someone misuses it.",
  ],
});

const versions = (): GuideSection => ({
  id: "versioning",
  title: "Versions",
  blocks: [
    "The version is part of the path: `/api/v1/`. Within a version we only add: tools, optional fields, members of responses and errors, codes. We announce a removal a year ahead with the headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).",
  ],
});

/** The guide as Markdown, for `info.description`. */
export function guideAsMarkdown(sections: GuideSection[]): string {
  return sections
    .map(({ title, blocks }) => [`## ${title}`, ...blocks.map(blockAsMarkdown)].join("\n\n"))
    .join("\n\n");
}

function blockAsMarkdown(block: GuideBlock): string {
  if (typeof block === "string") return block;
  if ("list" in block) return block.list.map((item) => `- ${item}`).join("\n");
  if ("code" in block) return `${block.label}:\n\n\`\`\`${block.language}\n${block.code}\n\`\`\``;
  const row = (cells: string[]) => `| ${cells.join(" | ")} |`;
  const { head, rows } = block.table;
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}
