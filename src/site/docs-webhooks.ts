import type { DocsPage } from "./docs-frame.ts";
import { contentsOf, type DocsSection, guideSection } from "./guide-blocks.ts";
import { html } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";

/** Being told of what happens to credits and keys: letters, and webhooks for programs. */
export function webhooksPage(options: PageOptions): DocsPage {
  const sections = [setUp(options), REQUEST, VERIFY, RESPONSE, RETRIES, KINDS, emails(options)];
  return {
    path: "/docs/webhooks",
    label: "Webhooks and notices",
    title: "Webhooks and notices",
    description:
      "Have your programs told when credits run low, expire or are added and when keys change: signed webhooks, retries, verifying.",
    lead: "Have your programs, or yourself, told before calls are refused for want of credits.",
    contents: contentsOf(sections),
    body: sections.map(guideSection),
  };
}

const setUp = ({ publicUrl }: PageOptions): DocsSection => ({
  id: "set-up",
  title: "Set it up",
  blocks: [
    html`<p>Under <a href="${pageLinks(publicUrl).webhookSettings}">Settings, Webhooks</a> add an address of yours and choose what it is told of. An account has up to 5 of them.</p>\n`,
    {
      list: [
        "The address is one that the internet reaches, over https. Addresses within private networks are refused, unless the operator of this service allows them.",
        "Each address has a secret of its own, with which your program finds out that a webhook comes from here. Keep it as you keep keys.",
        "Below the address you see every delivery of the last 30 days: its body, its tries, and what was answered. Each can be sent again.",
        "A paused address is told nothing. What was waiting for it goes on when it is resumed.",
      ],
    },
    "The form is that of Standard Webhooks (standardwebhooks.com), so there are libraries for most languages.",
  ],
});

/** True to the byte: a test verifies it, and so can your own code. */
export const SAMPLE = {
  secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
  id: "evt_acc_4fzYQ0nJq8dK_1795341600000_1",
  timestamp: 1795341603,
  signature: "v1,Jsb5mXL6GRlr60jWkw8fasLBGI9RC00DV8H307cnsIg=",
  body: '{"type":"credits.low","timestamp":"2026-11-22T10:00:00.000Z","data":{"account":"acc_4fzYQ0nJq8dK","balance":19,"lowBalance":20}}',
};

const REQUEST: DocsSection = {
  id: "request",
  title: "What is sent",
  blocks: [
    "A POST with a JSON body: `type`, `timestamp` (when it happened, ISO 8601 in UTC) and `data`. There may be more members one day; ignore those that you do not know.",
    {
      list: [
        "`webhook-id` names what happened. It stays the same however often it is sent.",
        "`webhook-timestamp` is the time of this try, in seconds since 1970.",
        "`webhook-signature` has the signature, after `v1,`.",
      ],
    },
    `The example is signed under the secret \`${SAMPLE.secret}\`, so that you can try your code with it.`,
    {
      label: "A webhook",
      language: "http",
      code: `POST /webhooks HTTP/1.1
Content-Type: application/json
User-Agent: Toolbooth-Webhooks/1.0
webhook-id: ${SAMPLE.id}
webhook-timestamp: ${SAMPLE.timestamp}
webhook-signature: ${SAMPLE.signature}

${SAMPLE.body}`,
    },
  ],
};

export const VERIFY_JAVASCRIPT = `import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.TOOLBOOTH_WEBHOOK_SECRET);

// body: the text as it came, before anything parses it.
// Throws where it does not come from here, or is too old.
export const read = (body, headers) => webhook.verify(body, headers);`;

export const VERIFY_PYTHON = `import base64, hashlib, hmac, json, os, time

SECRET = base64.b64decode(
    os.environ["TOOLBOOTH_WEBHOOK_SECRET"].removeprefix("whsec_"))

def read(body: bytes, headers):
    sent = headers["webhook-timestamp"]
    if abs(time.time() - int(sent)) > 300:
        raise ValueError("too old")
    signed = f"{headers['webhook-id']}.{sent}.".encode() + body
    digest = hmac.new(SECRET, signed, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    given = headers["webhook-signature"].split(" ")
    if not any(hmac.compare_digest(expected, each) for each in given):
        raise ValueError("not signed by Toolbooth")
    return json.loads(body)`;

const VERIFY: DocsSection = {
  id: "verify",
  title: "Verify it",
  blocks: [
    "Anybody can send a POST to your address. Before you believe one, check its signature:",
    {
      list: [
        "It is an HMAC-SHA256 over `webhook-id`, a dot, `webhook-timestamp`, a dot and the body, in base64.",
        "Its key is the secret without `whsec_`, decoded from base64.",
        "Take the body as the bytes that came. JSON that was parsed and written again may differ in a space.",
        "Compare in constant time, and refuse what is more than five minutes old.",
        "The header may have several signatures, parted by spaces; one that fits is enough.",
      ],
    },
    { label: "JavaScript, with a library", language: "javascript", code: VERIFY_JAVASCRIPT },
    { label: "Python, without one", language: "python", code: VERIFY_PYTHON },
  ],
};

const RESPONSE: DocsSection = {
  id: "answer",
  title: "Answer it",
  blocks: [
    "Answer with any status from 200 to 299 within 15 seconds, best before you do the work. What your answer says is dropped.",
    "Take each `webhook-id` once. A webhook is sent at least once: it comes again where your answer was lost, and when somebody chooses to send it again. Webhooks may come in another order than things happened; `timestamp` in the body says when that was.",
  ],
};

const RETRIES: DocsSection = {
  id: "retries",
  title: "When it does not arrive",
  blocks: [
    {
      table: {
        head: ["Your answer", "What becomes of it"],
        rows: [
          ["200 to 299", "delivered"],
          ["410", "failed, and the address is paused"],
          ["300 to 399", "not followed, and tried again: set the address that it leads to"],
          ["any other, or none within 15 seconds", "tried again"],
        ],
      },
    },
    "It is tried again after 5 seconds, 1 minute, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours and 7 hours, each up to a quarter less by chance, that is for about a day. Then it has failed; you can still send it again by hand. An address gets one webhook at a time.",
  ],
};

const KINDS: DocsSection = {
  id: "kinds",
  title: "The kinds",
  blocks: [
    {
      table: {
        head: ["Type", "What has happened", "In data, besides account"],
        rows: [
          [
            "`credits.low`",
            "the balance has fallen below the bound that you chose; once for each time",
            "`balance`, `lowBalance`",
          ],
          ["`credits.depleted`", "no credits are left: calls are refused with 402", "`balance`: 0"],
          [
            "`credits.granted`",
            "credits were added, or came back to a grant because a refund failed or a dispute was won",
            "`grant`: `id`, `kind` (`starter`, `pack`, `lifetime`, `operator`), `amount`, `expiresAt` (null: never)",
          ],
          [
            "`credits.expiring`",
            "something ends in 30 days, and again in 7",
            "`days`; `grant`: `id`, `kind`, `remaining`, `expiresAt`",
          ],
          ["`key.created`", "an API key was made", "`key`: `id`, `label`, `start`"],
          ["`key.revoked`", "an API key works no more", "`key`: `id`, `label`, `start`"],
        ],
      },
    },
    "`start` is the first characters of a key. The key itself is never sent.",
  ],
};

const emails = ({ publicUrl }: PageOptions): DocsSection => ({
  id: "letters",
  title: "Letters",
  blocks: [
    html`<p>A letter to the address of the account tells you when credits run low or expire. Under <a href="${pageLinks(publicUrl).notificationSettings}">Settings, Notices</a> you choose:</p>\n`,
    {
      list: [
        "below how many credits the balance counts as low (20 at first; 0: you are told only when none are left),",
        "whether a letter comes when the balance is low or gone,",
        "whether a letter comes 30 days and 7 days before credits expire.",
      ],
    },
    "There is one letter for each time, however many calls come after it. Each has a link that ends letters of its sort, without signing in.",
  ],
});
