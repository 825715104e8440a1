#!/usr/bin/env bash
# A mail, an invoice or a code to sign in, is sent by seven clients of mail services with their defaults. The service takes the request, and the connection breaks before its answer; another time it answers 503. How often is it sent?
# Expected: once, or several times with a key by which the service knows the second for the first: nobody knows whether the mail has gone out.
# Seen on 2026-11-30: customerio-node 5.2.0 sends it four times and @aws-sdk/client-sesv2 3.1169.0 three times, after either, without an Idempotency-Key. postmark 5.1.0,
# @sendgrid/mail 8.1.6, mailgun.js 14.0.1, loops 7.3.0 and resend 6.38.0 send it once. resend rejects nothing: the error is in the result, for 503 as `{}`, without a name or message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts customerio-node@5.2.0 @aws-sdk/client-sesv2@3.1169.0 postmark@5.1.0 @sendgrid/mail@8.1.6 mailgun.js@14.0.1 form-data@4.0.6 loops@7.3.0 resend@6.38.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import sendgrid from "@sendgrid/mail";
import { APIClient, SendEmailRequest } from "customerio-node";
import FormData from "form-data";
import { LoopsClient } from "loops";
import Mailgun from "mailgun.js";
import { ServerClient } from "postmark";
import { Resend } from "resend";
let requests;
let isBroken;
const server = createServer((request, response) => {
  requests += 1;
  request.resume().on("end", () => {
    if (isBroken) request.socket.destroy();
    else response.writeHead(503, { "content-type": "application/json" }).end("{}");
  });
});
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${server.address().port}`;
const [from, to, subject, text] = ["a@example.com", "b@example.com", "Invoice 7", "5 credits"];
sendgrid.setApiKey("SG.key");
sendgrid.client.setDefaultRequest("baseUrl", url);
const customerio = new APIClient("key");
customerio.apiRoot = `${url}/v1`;
const loops = new LoopsClient("key");
loops.apiRoot = `${url}/`;
const ses = new SESv2Client({ region: "us-east-1", endpoint: url, credentials: { accessKeyId: "key", secretAccessKey: "secret" } });
const clients = {
  "customerio-node": () => customerio.sendEmail(new SendEmailRequest({ transactional_message_id: "1", to, identifiers: { id: "1" } })),
  "@aws-sdk/client-sesv2": () => ses.send(new SendEmailCommand({ FromEmailAddress: from, Destination: { ToAddresses: [to] }, Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: text } } } } })),
  postmark: () => new ServerClient("key", { requestHost: new URL(url).host, useHttps: false }).sendEmail({ From: from, To: to, Subject: subject, TextBody: text }),
  "@sendgrid/mail": () => sendgrid.send({ from, to, subject, text }),
  "mailgun.js": () => new Mailgun(FormData).client({ username: "api", key: "key", url }).messages.create("example.com", { from, to, subject, text }),
  loops: () => loops.sendTransactionalEmail({ transactionalId: "1", email: to }),
  resend: () => new Resend("re_key", { baseUrl: url }).emails.send({ from, to, subject, text }),
};
for (const [name, send] of Object.entries(clients)) {
  const seen = [];
  for (isBroken of [true, false]) {
    requests = 0;
    await send().catch(() => {});
    seen.push(`${isBroken ? "broken" : "503"} ${requests}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'customerio-node: broken 4, 503 4
@aws-sdk/client-sesv2: broken 3, 503 3
postmark: broken 1, 503 1
@sendgrid/mail: broken 1, 503 1
mailgun.js: broken 1, 503 1
loops: broken 1, 503 1
resend: broken 1, 503 1' ]
