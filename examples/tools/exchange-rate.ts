import { defineTool, z } from "toolbooth";

/** A setting, so that tests and other environments have a service of their own. */
const SERVICE = process.env["RATES_URL"] ?? "https://rates.example.com";

const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, "must be a code of three letters, such as EUR")
  .describe("Currency code (ISO 4217).");

/**
 * Asks a service that costs its operator money. So it is paid before it runs, and a repeat with its `Idempotency-Key` gets the kept response.
 * If the service fails, `run` throws: the call gets an error and is not charged.
 */
export default defineTool({
  summary: "Converts an amount of money at today's rate.",
  input: { amount: z.number().positive(), from: Currency, to: Currency },
  output: { amount: z.number(), rate: z.number() },
  price: 2,
  effect: "read",
  secrets: ["RATES_TOKEN"],
  hosts: [new URL(SERVICE).hostname],
  async run({ amount, from, to }, { fetch, secrets }) {
    const response = await fetch(`${SERVICE}/rates?from=${from}&to=${to}`, {
      headers: { authorization: `Bearer ${secrets.RATES_TOKEN}` },
    });
    if (!response.ok) throw new Error(`The rates service responded with ${response.status}`);
    const { rate } = z.object({ rate: z.number().positive() }).parse(await response.json());
    return { amount: Math.round(amount * rate * 100) / 100, rate };
  },
});
