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
import type { ApiOptions } from "./document.ts";
import { callPrice, freeCall } from "./price-text.ts";
import { sampleProblem } from "./problems.ts";

/**
 * What holds for every call, told once: the description has it as Markdown, the documentation page as HTML.
 * Plain sentences, in which `backticks` mark code.
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

const calling = ({ publicUrl }: ApiOptions): GuideSection => ({
  id: "calling",
  title: "Calling a tool",
  blocks: [
    `Send a JSON body with POST to \`${publicUrl}/api/v1/{tool}\`. The answer is JSON too. There is nothing to install and nothing to set up on the way.`,
    {
      list: [
        "The body is UTF-8. It is read as JSON whatever `Content-Type` says; sending `application/json` gets you better messages when it is not.",
        "A field that a tool does not know is refused, and the nearest known name suggested: a misspelt option does not cost a credit.",
        "A field is left out to get its default; `null` is not a default, and a number in a string is not a number.",
        "`uuid` and `echo` may be called without a body.",
        "Any other method on the path of a tool is answered 405, with the methods allowed in `Allow`. Any other path under `/api/` is answered 404.",
      ],
    },
    {
      label: "A first call",
      language: "shell",
      code: `curl ${publicUrl}/api/v1/uuid \\\n  -H "Authorization: Bearer $TOOLBOOTH_KEY" \\\n  -d '{"count": 2}'`,
    },
  ],
});

const authentication = (): GuideSection => ({
  id: "authentication",
  title: "Authentication",
  blocks: [
    "Every call carries an API key as a bearer token. There is no other scheme, and no key in the address.",
    `A key is one word of letters and digits (\`${KEY_PATTERN}\`). Its last six characters are a checksum of the rest, so that a misspelt key is recognised at once and a secret scanner can verify what it found.`,
    "The whole key is shown once, when it is made; the service keeps only its SHA-256. Use one key per environment, so that one can be revoked without the others. A revoked key is refused from the next call on.",
    {
      label: "The header",
      language: "http",
      code: "Authorization: Bearer tb_…",
    },
  ],
});

const responses = (options: ApiOptions): GuideSection => ({
  id: "answers",
  title: "Answers and refusals",
  blocks: [
    "A call that succeeds is answered with 200 and a JSON object whose `ok` is true. Everything else is a refusal: problem details (RFC 9457) with `ok` false and a `code` that never changes its meaning. Branch on `code`; show `detail` to people.",
    "A wrong request gets every fault at once in `errors`. Refusals are `application/problem+json`, or `application/json` where `Accept` asks for that and not for the former.",
    "`requestId` is also in the header `X-Request-Id`, on every answer. Tell it to the operator when you ask about a call.",
    "Requests are checked in this order: address (404, 405), key (401), account (403), rate (429), credits (402), body (413, 400, 415).",
    {
      label: "A refusal",
      language: "json",
      code: JSON.stringify(sampleProblem("invalid_request", options), null, 2),
    },
  ],
});

const credits = (options: ApiOptions): GuideSection => ({
  id: "credits",
  title: "Credits",
  blocks: [
    `A successful call costs ${callPrice(options.tools)}. A refusal costs nothing. ${freeCall(options, "successful call")}`.trimEnd(),
    ...pricesOf(options),
    "A call is debited once, durably, before the answer leaves. Credits come to an account as grants; those that expire soonest are spent first, those that do not expire last. All dates are in UTC.",
    "When too little is left, calls are refused with 402 `insufficient_credits`, which tells the balance and the price. Ask the operator of this service for more credits.",
    {
      label: "On every answer to a known caller",
      language: "http",
      code: "Credits-Charged: 1\nCredits-Remaining: 99",
    },
  ],
});

/** Where tools differ, what each costs. */
function pricesOf({ tools }: ApiOptions): GuideBlock[] {
  if (new Set(tools.map(({ price }) => price)).size < 2) return [];
  const rows = tools.map(({ name, price }) => [`\`${name}\``, whole(price)]);
  return [{ table: { head: ["Tool", "Credits a call"], rows } }];
}

const idempotency = ({ publicUrl }: ApiOptions): GuideSection => ({
  id: "idempotency",
  title: "Repeating a call safely",
  blocks: [
    `Send an \`Idempotency-Key\` (1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters) when you may have to send a call again, for example after a broken connection. A repeat with the same body on the same path within ${IDEMPOTENCY_KEPT_MS / HOUR_MS} hours gets the first answer again, byte for byte, and is not charged: \`Credits-Charged: 0\`, \`Idempotency-Replayed: true\`.`,
    {
      list: [
        "The same key with another body is refused: 400 `idempotency_key_reused`.",
        "A repeat while the first call still runs is refused: 409 `idempotency_in_progress`, with `Retry-After`.",
        "Only an answer with 200 is kept. After a refusal the key is free again.",
        "Keys of one account do not meet those of another.",
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
      `An account may make ${whole(rateLimit)} ${rateLimit === 1 ? "call" : "calls"} a second, and up to ${whole(2 * rateLimit)} at once after a pause. Over it, calls are refused with 429 \`rate_limited\`; \`Retry-After\` says how many seconds to wait.`,
      "Every answer to a known caller tells what is left, in the fields of the IETF draft `draft-ietf-httpapi-ratelimit-headers`: `q` calls in `w` seconds are allowed, `r` are left at once, and in `t` seconds all of them are.",
      {
        label: "On every answer to a known caller",
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
      "1 KB is 1,024 bytes and 1 MB is 1,048,576 bytes; a limit itself is allowed. Fields are counted after decoding, in UTF-8. The body of a tool may be larger than its text, because JSON writes some characters with up to six bytes. Over a limit, the refusal is 413 `too_large` and names the limit.",
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
              "Time for the body, where the service runs at a network's edge",
              `${WORKER_BODY_TIMEOUT_MS / 1000} seconds`,
            ],
          ],
        },
      },
    ],
  };
}

/** `1 MB (1,048,576 bytes)`; a size that is no round number of KB or MB only in bytes. */
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
    `Answers of ${COMPRESS_FROM_BYTES / 1024} KB and more are compressed with Brotli or gzip for those whose \`Accept-Encoding\` names them. A body may be sent with \`Content-Encoding: gzip\`; the limits hold for it inflated. Other encodings are refused: 415.`,
  ],
});

const browsers = (): GuideSection => ({
  id: "cors",
  title: "Calls from browsers",
  blocks: [
    "Scripts of any origin may call the tools (CORS), without cookies, and may read every header of an answer that is described here. `OPTIONS` on the path of a tool answers the preflight request, which a browser may keep for a day. A key in a public page is a public key: make one for the purpose, and revoke it when it is misused.",
  ],
});

const versions = (): GuideSection => ({
  id: "versioning",
  title: "Versions",
  blocks: [
    "The version is part of the path: `/api/v1/`. Within it there are only additions: new tools, new optional fields, new members of answers and refusals, new codes. A removal would be announced a year ahead with the headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).",
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
