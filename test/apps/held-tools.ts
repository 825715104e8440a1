import { defineTool, type OwnToolContext, z } from "#toolbooth.ts";

/** Tools that cost money, in the files of a project and in a Worker. */
export const TIME_LIMIT_MS = 3_000;
export const PRICES = [1, 7, 23];

export type HeldTool = { name: string; effect: "read" | "act"; price: number };
export const HELD_TOOLS: readonly HeldTool[] = (["read", "act"] as const).flatMap((effect) =>
  PRICES.map((price) => ({ name: `${effect}-${price}`, effect, price })),
);

/** `writeDown`: what it does with a run before anything else. */
export const heldTool = (
  { effect, price }: Pick<HeldTool, "effect" | "price">,
  writeDown: (name: string, context: Pick<OwnToolContext, "callId" | "fetch">) => Promise<void>,
) =>
  defineTool({
    ...{ summary: "Writes down its runs.", price, effect, timeLimitMs: TIME_LIMIT_MS },
    hosts: ["127.0.0.1"],
    input: { name: z.string(), waitMs: z.int(), end: z.enum(["full", "less", "fail"]) },
    async run({ name, waitMs, end }, context) {
      await writeDown(name, context);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (end === "fail") throw new Error("as told");
      if (end === "less") context.settle(Math.floor(price / 2));
      return { callId: context.callId };
    },
  });
