import * as z from "zod/mini";
import { BURST_SECONDS } from "#ledger/throttle.ts";
import { about } from "#tools/fields.ts";
import type { ApiOptions, Operation } from "./document.ts";
import { responseHeadersOf, SAMPLE_RATE_LIMIT } from "./headers.ts";
import { problems } from "./problems.ts";
import { component } from "./schemas.ts";
import { namesOfFirst } from "./words.ts";

/** `GET /api/v1/account`: what a key's holder may know of its account, as a schema and as an operation of the description. */

const whole = (least: number, description: string) =>
  about(z.int().check(z.minimum(least)), description);
const time = (description: string) => about(z.string(), description, "date-time");

const budget = component(
  "KeyBudget",
  "A budget of a key. It counts from when the key got its first budget.",
  {
    credits: whole(1, "The whole budget."),
    remaining: whole(0, "What is left of it."),
    resetsAt: about(
      z.nullable(z.string()),
      "When it resets, in UTC; null for the total budget.",
      "date-time",
    ),
  },
);

const limits = component(
  "KeyLimits",
  "The limits of this key beside those of its account. It has a member for each limit; empty: the key has none.",
  {
    expiresAt: z.optional(time("The first moment at which the key no longer works, in UTC.")),
    tools: about(z.optional(z.array(z.string())), "The only tools that the key may call."),
    networks: about(
      z.optional(z.array(z.string())),
      "The only networks that the key may be used from, in CIDR notation.",
    ),
    callsPerSecond: z.optional(
      whole(1, "Calls a second, on average, within the limit of the account."),
    ),
    budgets: about(
      z.optional(
        z.object({
          day: about(z.optional(budget), "In a UTC day."),
          month: about(z.optional(budget), "In a UTC month."),
          total: about(z.optional(budget), "In total."),
        }),
      ),
      "How many credits the key may spend, and what is left of them.",
    ),
  },
);

const key = component("AccountKey", "The API key that sent the request.", {
  id: about(z.string(), "The id of the key, as the dashboard shows it."),
  label: about(z.string(), "The label that its owner gave it."),
  createdAt: time("When the key was created, in UTC."),
  limits,
});

const expiry = component("AccountExpiry", "Credits that expire together.", {
  credits: whole(1, "How many credits expire."),
  expiresAt: time("The first moment at which they can no longer be spent, in UTC."),
});

const rateLimit = component("AccountRateLimit", "How fast calls may be made.", {
  callsPerSecond: whole(1, "Calls a second, on average."),
  burst: whole(1, "Calls that may be made at once."),
  remaining: whole(0, "Calls that may be made now, after this request."),
  limitSource: about(z.enum(["account", "key"]), "Whose limit it is: `account` or `key`."),
});

export const ACCOUNT = component("Account", "The account of an API key, and the key itself.", {
  ok: about(z.literal(true), "Always true."),
  balance: whole(0, "The credits that the account can spend now."),
  held: whole(
    0,
    "The credits that running calls hold. They are not part of the balance; what a call does not cost comes back.",
  ),
  nextExpiry: about(
    z.nullable(expiry),
    "The part of the balance that expires first; null if none of it expires.",
  ),
  plan: about(
    z.enum(["prepaid", "lifetime"]),
    "`prepaid`: credits expire as granted. `lifetime`: no unspent credit of the account expires.",
  ),
  rateLimit: about(
    z.nullable(rateLimit),
    "The rate limit of the account, or of the key if it has its own and that leaves fewer calls now; null if there is none.",
  ),
  key,
});

export type AccountResponse = z.infer<typeof ACCOUNT>;

export const describeAccount = (options: ApiOptions): Operation => ({
  operationId: "getAccount",
  summary: "Show the account of the API key",
  description:
    "Returns the balance, what expires next, the plan, the rate limit and the API key that sent the request. It costs no credits and counts against the rate limit like a call.",
  tags: ["Account"],
  responses: {
    "200": {
      description: "The account of the key.",
      headers: responseHeadersOf("account", options),
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/Account" },
          examples: {
            account: { summary: "An account with starter credits", value: exampleOf(options) },
          },
        },
      },
    },
    ...problems([401, 403, 408, 429, 431, 500, 503]),
  },
});

const exampleOf = ({ tools }: ApiOptions): AccountResponse => ({
  ok: true,
  balance: 87,
  held: 0,
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
      tools: namesOfFirst(tools),
      budgets: { day: { credits: 50, remaining: 37, resetsAt: "2026-11-23T00:00:00.000Z" } },
    },
  },
});
