import { defineTool, InvalidInput, z } from "toolbooth";

/** A setting, so that tests and other environments have a service of their own. */
const SERVICE = process.env["MESSAGES_URL"] ?? "https://messages.example.com";

const CREDITS_A_PART = 5;
const PARTS_MAX = 3;

/**
 * Changes the world: a message that was sent stays sent. So a call needs an `Idempotency-Key`, and never runs twice under it, even if the
 * server dies. The service gets a key too, because a connection can break after the message was sent. The call holds the price of the
 * longest message before it runs, and costs what the message took (`settle`).
 */
export default defineTool({
  summary: "Sends a text message to a phone.",
  input: {
    to: z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/, "must have a country code and digits, such as +4930123456")
      .describe("Phone number (E.164)."),
    text: z.string().min(1).max(400).describe("The message."),
  },
  output: { id: z.string(), parts: z.int() },
  price: CREDITS_A_PART * PARTS_MAX,
  effect: "act",
  secrets: ["MESSAGES_TOKEN"],
  hosts: [new URL(SERVICE).hostname],
  examples: [
    {
      name: "A short message",
      request: { to: "+4930123456", text: "Your table is ready." },
      response: { ok: true, id: "message_4711", parts: 1 },
    },
  ],
  async run(message, { fetch, secrets, idempotencyKey, settle }) {
    const response = await fetch(`${SERVICE}/messages`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secrets.MESSAGES_TOKEN}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
      body: JSON.stringify(message),
    });
    // It has sent nothing, so the call may run again under its key.
    if (response.status === 422) throw new InvalidInput("No phone has this number.", "to");
    if (!response.ok) throw new Error(`The message service responded with ${response.status}`);
    const sent = z.object({ id: z.string(), parts: z.int() }).parse(await response.json());
    settle(CREDITS_A_PART * sent.parts);
    return sent;
  },
});
