import * as z from "zod/mini";
import type { Tool } from "#tools/define-tool.ts";
import { about } from "#tools/fields.ts";
import type { ApiOptions, ApiResponse } from "./document.ts";
import { responseHeadersOf } from "./headers.ts";
import { component } from "./schemas.ts";

/** `POST /api/v1/{tool}/quote`: the price of a call, as a schema and as a response of the description. */
export const QUOTE = component("Quote", "The price of a call with this input.", {
  ok: about(z.literal(true), "Always true."),
  credits: about(
    z.int().check(z.minimum(0)),
    "What the call costs, if it succeeds. It does not take the free first call of an account into account.",
  ),
});

export const QUOTE_EXAMPLE: z.infer<typeof QUOTE> = { ok: true, credits: 3 };

/** What a call of the tool costs in examples: the input decides where the price is a function of it. */
export const sampleCharge = ({ price, priceOf }: Pick<Tool, "price" | "priceOf">): number =>
  priceOf === undefined ? price : Math.min(price, QUOTE_EXAMPLE.credits);

export const quoteResponse = (options: ApiOptions): ApiResponse => ({
  description: "The price of the call.",
  headers: responseHeadersOf("account", options),
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Quote" },
      examples: { quote: { summary: "A call that costs 3 credits", value: QUOTE_EXAMPLE } },
    },
  },
});
