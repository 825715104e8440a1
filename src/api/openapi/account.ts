import { BURST_SECONDS } from "#ledger/throttle.ts";
import type { ApiOptions, JsonSchema, PathItem } from "./document.ts";
import { accountResponseHeaders, SAMPLE_RATE_LIMIT } from "./headers.ts";
import { problems } from "./problems.ts";
import { extensible } from "./tool-schemas.ts";

/** `GET /api/v1/account` in the OpenAPI description. */

const CREDITS = { type: "integer", minimum: 0 };
const TIME = { type: "string", format: "date-time" };

const budget = (description: string) => ({
  $ref: "#/components/schemas/KeyBudget",
  description,
});

export const ACCOUNT_SCHEMAS: Record<string, JsonSchema> = {
  Account: {
    type: "object",
    description: "The account of an API key, and the key itself.",
    properties: {
      ok: { type: "boolean", const: true, description: "Always true." },
      balance: { ...CREDITS, description: "The credits that the account can spend now." },
      nextExpiry: {
        description: "The part of the balance that expires first; null if none of it expires.",
        anyOf: [{ $ref: "#/components/schemas/AccountExpiry" }, { type: "null" }],
      },
      plan: {
        type: "string",
        ...extensible(
          ["prepaid", "lifetime"],
          "`prepaid`: credits expire as granted. `lifetime`: no unspent credit of the account expires.",
        ),
      },
      rateLimit: {
        description:
          "The rate limit of the account, or that of the key if it has one of its own and it leaves fewer calls now; null if there is none.",
        anyOf: [{ $ref: "#/components/schemas/AccountRateLimit" }, { type: "null" }],
      },
      key: {
        $ref: "#/components/schemas/AccountKey",
        description: "The API key that sent the request.",
      },
    },
    required: ["ok", "balance", "nextExpiry", "plan", "rateLimit", "key"],
  },
  AccountExpiry: {
    type: "object",
    description: "Credits that expire together.",
    properties: {
      credits: { ...CREDITS, minimum: 1, description: "How many credits expire." },
      expiresAt: {
        ...TIME,
        description: "The first moment at which they can no longer be spent, in UTC.",
      },
    },
    required: ["credits", "expiresAt"],
  },
  AccountRateLimit: {
    type: "object",
    description: "How fast calls may be made.",
    properties: {
      callsPerSecond: { type: "integer", minimum: 1, description: "Calls a second, on average." },
      burst: { type: "integer", minimum: 1, description: "Calls that may be made at once." },
      remaining: {
        type: "integer",
        minimum: 0,
        description: "Calls that may be made now, after this request.",
      },
      limitSource: {
        type: "string",
        ...extensible(["account", "key"], "Whose limit it is: `account` or `key`."),
      },
    },
    required: ["callsPerSecond", "burst", "remaining", "limitSource"],
  },
  AccountKey: {
    type: "object",
    description: "The API key of this request.",
    properties: {
      id: { type: "string", description: "The id of the key, as the dashboard shows it." },
      label: { type: "string", description: "The label that its owner gave it." },
      createdAt: { ...TIME, description: "When the key was created, in UTC." },
      limits: {
        $ref: "#/components/schemas/KeyLimits",
        description: "The limits that the key has beside those of its account.",
      },
    },
    required: ["id", "label", "createdAt", "limits"],
  },
  KeyLimits: {
    type: "object",
    description:
      "The limits of this key beside those of its account. It has a member for each limit; empty: the key has none.",
    properties: {
      expiresAt: {
        ...TIME,
        description: "The first moment at which the key no longer works, in UTC.",
      },
      tools: {
        type: "array",
        items: { type: "string" },
        description: "The only tools that the key may call.",
      },
      networks: {
        type: "array",
        items: { type: "string" },
        description: "The only networks that the key may be used from, in CIDR notation.",
      },
      callsPerSecond: {
        type: "integer",
        minimum: 1,
        description: "Calls a second, on average, within the limit of the account.",
      },
      budgets: {
        type: "object",
        description: "How many credits the key may spend, and what is left of them.",
        properties: {
          day: budget("In a UTC day."),
          month: budget("In a UTC month."),
          total: budget("In all."),
        },
      },
    },
  },
  KeyBudget: {
    type: "object",
    description: "A budget of a key. It counts from when the key got its first budget.",
    properties: {
      credits: { ...CREDITS, minimum: 1, description: "The whole budget." },
      remaining: { ...CREDITS, description: "What is left of it." },
      resetsAt: {
        ...TIME,
        type: ["string", "null"],
        description: "When it is whole again, in UTC; null for the budget in all.",
      },
    },
    required: ["credits", "remaining", "resetsAt"],
  },
};

export function accountPaths(options: ApiOptions): Record<string, PathItem> {
  return {
    "/api/v1/account": {
      get: {
        operationId: "getAccount",
        summary: "Show the account of the API key",
        description:
          "Returns the balance, what expires next, the plan, the rate limit and the API key that sent the request. It costs no credits and counts against the rate limit like a call.",
        tags: ["Account"],
        responses: {
          "200": {
            description: "The account of the key.",
            headers: accountResponseHeaders(options),
            content: {
              "application/json": {
                schema: { $ref: "#/components/schemas/Account" },
                examples: { account: ACCOUNT_EXAMPLE },
              },
            },
          },
          ...problems([401, 403, 408, 429, 431, 500, 503]),
        },
      },
    },
  };
}

const ACCOUNT_EXAMPLE = {
  summary: "An account with starter credits",
  value: {
    ok: true,
    balance: 87,
    nextExpiry: { credits: 87, expiresAt: "2027-02-20T09:41:00.000Z" },
    plan: "prepaid",
    rateLimit: {
      callsPerSecond: SAMPLE_RATE_LIMIT,
      burst: BURST_SECONDS * SAMPLE_RATE_LIMIT,
      remaining: BURST_SECONDS * SAMPLE_RATE_LIMIT - 1,
      limitSource: "account",
    },
    key: {
      id: "key_4ZQm0T1bXc9aV7sKd2LpR6",
      label: "Production",
      createdAt: "2026-11-22T09:41:00.000Z",
      limits: {
        tools: ["hash", "uuid"],
        budgets: { day: { credits: 50, remaining: 37, resetsAt: "2026-11-23T00:00:00.000Z" } },
      },
    },
  },
};
