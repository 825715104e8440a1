import { counted } from "#counted.ts";
import type { Tool } from "#tools/define-tool.ts";

/** Prices and sizes in words. */

/** What the free first call depends on. */
type FreeCallOptions = {
  tools: readonly Tool[];
  /** The first successful call of an account is free if its price is at most this many credits. */
  freeCallCredits: number;
};

/** The names of up to two tools, for examples. */
export const namesOfFirst = (tools: readonly Tool[]): string[] =>
  tools.slice(0, 2).map(({ name }) => name);

export const creditsText = (credits: number): string =>
  credits === 1 ? "one credit" : counted(credits, "credit");

/** As in "a successful call costs one credit". A function of the input may also ask for less than 1. */
export const priceText = ({ price, priceOf }: Pick<Tool, "price" | "priceOf">): string =>
  priceOf === undefined
    ? creditsText(price)
    : `up to ${creditsText(price)}, depending on the input`;

/** Whether calls have more than one price. */
export const havePrices = (tools: readonly Tool[]): boolean =>
  new Set(tools.map(({ price }) => price)).size > 1 ||
  tools.some(({ priceOf }) => priceOf !== undefined);

/** The price in a table. */
export const priceCell = ({ price, priceOf }: Pick<Tool, "price" | "priceOf">): string =>
  `${priceOf === undefined ? "" : "up to "}${price.toLocaleString("en-US")}`;

/** The price of any of the tools. */
export function callPrice(tools: readonly Tool[]): string {
  const [first] = tools;
  if (tools.length === 1 && first !== undefined) return priceText(first);
  const prices = tools.map(({ price }) => price);
  const [least, most] = [Math.min(...prices), Math.max(...prices)];
  if (tools.some(({ priceOf }) => priceOf !== undefined))
    return `up to ${creditsText(most)}, depending on the tool and the input`;
  return least === most
    ? creditsText(most)
    : `${least.toLocaleString("en-US")} to ${creditsText(most)}, depending on the tool`;
}

/**
 * "The first call of an account is free", and up to which price if not every call is; empty if no call is free. Tools that cost
 * nothing are ignored.
 */
export function freeCall({ tools, freeCallCredits }: FreeCallOptions, call = "call"): string {
  const prices = pricesOf(tools, freeCallCredits);
  const free = prices.filter((price) => price <= freeCallCredits);
  if (free.length === 0) return "";
  const bound =
    free.length < prices.length ? ` if it costs at most ${creditsText(Math.max(...free))}` : "";
  return `The first ${call} of an account is free${bound}.`;
}

/** Whether the first call of an account is free for any of the tools. */
export const hasFreeCall = (tools: readonly Priced[], freeCallCredits: number): boolean =>
  pricesOf(tools, freeCallCredits).some((price) => price <= freeCallCredits);

type Priced = Pick<Tool, "price"> & { priceOf?: unknown };

/** The least and the most that calls of the tools cost, without those that always cost nothing. */
const pricesOf = (tools: readonly Priced[], freeCallCredits: number): number[] =>
  tools
    .flatMap(({ price, priceOf }) =>
      // Some inputs are free, as far as anybody can tell.
      priceOf === undefined ? [price] : [Math.min(price, freeCallCredits), price],
    )
    .filter((price) => price > 0);

/** `1 MB (1,048,576 bytes)`; other sizes only in bytes. */
export function sizeInWords(bytes: number): string {
  for (const [unit, size] of [
    ["MB", 1024 * 1024],
    ["KB", 1024],
  ] as const) {
    if (bytes % size === 0) return `${count(bytes / size)} ${unit} (${count(bytes)} bytes)`;
  }
  return `${count(bytes)} bytes`;
}

const count = (value: number) => value.toLocaleString("en-US");
