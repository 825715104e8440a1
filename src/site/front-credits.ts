import { creditsText, freeCall } from "#api/openapi/price-text.ts";
import type { Tool } from "#tools/define-tool.ts";
import hash from "#tools/hash/tool.ts";
import uuid from "#tools/uuid/tool.ts";
import { type Html, html } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import { type PageOptions, signUpIsOpen } from "./page-options.ts";

type Row = { what: Html; detail: string; change: number };

/** What an account without starter credits gets in the example. */
const GRANT = 1_000;

/** How credits work, by an account's first calls with the prices and the starter credits of this service. */
export function creditExample(options: PageOptions): Html {
  const { dashboard, tools } = options;
  const starter = signUpIsOpen(options) ? (dashboard?.starter.credits ?? 0) : 0;
  const priceOf = (tool: Tool) => tools.find(({ name }) => name === tool.name)?.price ?? tool.price;
  const isFirstFree = freeCall(options) !== "" && priceOf(uuid) <= options.freeCallCredits;
  const rows: Row[] = [
    starter > 0
      ? { what: html`Starter credits`, detail: "Your email address is confirmed", change: starter }
      : { what: html`Credits granted`, detail: "By the operator of the service", change: GRANT },
    {
      what: html`<code>uuid</code>`,
      detail: isFirstFree ? "200, the first call of an account is free" : "200",
      change: isFirstFree ? 0 : -priceOf(uuid),
    },
    { what: html`<code>hash</code>`, detail: "200", change: -priceOf(hash) },
    {
      what: html`<code>hash</code>`,
      detail: "200, repeated with the same Idempotency-Key",
      change: 0,
    },
    {
      what: html`<code>qr-code</code>`,
      detail: "400, the text is too long for its level",
      change: 0,
    },
  ];
  let balance = 0;
  return html`<section class="split wash" aria-labelledby="credits"><div><h2 id="credits">How credits work</h2>
<p>A call costs the price of its tool: ${creditsText(priceOf(hash))} for a hash. You pay for results only, so errors and repeats are free, and the balance never goes below zero.</p>
<p>Every response says what it cost and what is left. The ledger on your Credits page lists every change.</p>
<p class="actions"><a class="button quiet" href="${pageLinks(options.publicUrl).docsCredits}">Read about credits</a></p></div>
<div class="scroll"><table class="ledger"><caption class="said">The first calls of an account</caption>
<thead><tr><th scope="col">Call</th><th scope="col">Credits</th><th scope="col">Balance</th></tr></thead>
<tbody>${rows.map(({ what, detail, change }) => {
    balance += change;
    return html`<tr><td><b>${what}</b><span>${detail}</span></td><td${change > 0 && html` class="plus"`}>${signed(change)}</td><td>${balance.toLocaleString("en-US")}</td></tr>\n`;
  })}</tbody></table></div></section>
`;
}

const signed = (change: number): string => {
  const amount = Math.abs(change).toLocaleString("en-US");
  if (change === 0) return "0";
  return `${change > 0 ? "+" : "−"}${amount}`;
};
