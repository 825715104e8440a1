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
  credits === 1 ? "one credit" : `${credits.toLocaleString("en-US")} credits`;

/** As in "a successful call costs one credit". */
export function callPrice(tools: readonly Tool[]): string {
  const prices = tools.map(({ price }) => price);
  const [least, most] = [Math.min(...prices), Math.max(...prices)];
  return least === most
    ? creditsText(most)
    : `${least.toLocaleString("en-US")} to ${creditsText(most)}, depending on the tool`;
}

/**
 * "The first call of an account is free", and up to which price if not every call is; empty if no call is free. Tools that cost
 * nothing are ignored.
 */
export function freeCall({ tools, freeCallCredits }: FreeCallOptions, call = "call"): string {
  const prices = tools.map(({ price }) => price).filter((price) => price > 0);
  const free = prices.filter((price) => price <= freeCallCredits);
  if (free.length === 0) return "";
  const bound =
    free.length < prices.length ? ` if it costs at most ${creditsText(Math.max(...free))}` : "";
  return `The first ${call} of an account is free${bound}.`;
}

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
