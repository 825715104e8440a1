#!/usr/bin/env bash
# The text part of a mail is made from its HTML: a code to sign in as a heading, a name of a plan in the head of a table, two rows of a table of prices, a price that was struck out. Three libraries, and a reader of mail that
# hands out text where a mail has none.
# Expected: the code as it is, since codes and keys are compared letter by letter; a space or a line between two cells.
# Seen on 2026-11-30: html-to-text 10.0.1 writes headings in capitals, and so do @react-email/render 2.3.1, also with `render(element, { plainText: true })`, nodemailer-html-to-text 3.2.0 and mailparser 3.14.2, which use it: the code
# aB3-xY9 is AB3-XY9 for all who read text, and is refused. @react-email/render writes each cell on a line of its own, the others without anything between: `Calls1000Rate5`. The struck price stands beside the
# other one as if both were asked for. `selectors: [{ selector: "h1", options: { uppercase: false } }]` and a table as `dataTable` help.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts html-to-text@10.0.1 @react-email/render@2.3.1 react@19.3.1 react-dom@19.3.1 nodemailer-html-to-text@3.2.0 nodemailer@10.6.0 mailparser@3.14.2
cat > seen.mjs <<'JS'
import { render, toPlainText } from "@react-email/render";
import { convert } from "html-to-text";
import { simpleParser } from "mailparser";
import nodemailer from "nodemailer";
import { htmlToText } from "nodemailer-html-to-text";
import { createElement } from "react";
const html = `<h1>aB3-xY9</h1><table><tr><td>Calls</td><td>1000</td></tr><tr><td>Rate</td><td>5</td></tr></table><p>Price <s>10</s> 5</p>`;
const transport = nodemailer.createTransport({ streamTransport: true, buffer: true });
transport.use("compile", htmlToText());
const libraries = {
  "html-to-text": () => convert(html),
  "@react-email/render": () => toPlainText(html),
  "@react-email/render, an element": () => render(createElement("h1", null, "aB3-xY9"), { plainText: true }),
  "nodemailer-html-to-text": async () => (await simpleParser((await transport.sendMail({ from: "a@example.com", to: "b@example.com", html })).message)).text,
  mailparser: async () => (await simpleParser(`Content-Type: text/html\r\n\r\n${html}`)).text,
};
for (const [name, read] of Object.entries(libraries)) console.log(`${name}: ${(await read()).trim().replaceAll(/\n+/g, " / ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'html-to-text: AB3-XY9 / Calls1000Rate5 / Price 10 5
@react-email/render: AB3-XY9 / Calls / 1000 / Rate / 5 / Price 10 5
@react-email/render, an element: AB3-XY9
nodemailer-html-to-text: AB3-XY9 / Calls1000Rate5 / Price 10 5
mailparser: AB3-XY9 / Calls1000Rate5 / Price 10 5' ]
