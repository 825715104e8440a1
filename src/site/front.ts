import type { PricesView } from "#api/dashboard/shapes.ts";
import { callPrice, creditsText, freeCall, priceText } from "#api/openapi/words.ts";
import { hasOwnName, keyVariableOf } from "#brand.ts";
import { counted } from "#counted.ts";
import type { Tool } from "#tools/define-tool.ts";
import { contactHref } from "#top-up.ts";
import { shorten } from "./docs/tool-reference.ts";
import { firstCall } from "./first-call.ts";
import { FRONT_STYLE } from "./front-style.ts";
import { gatePicture } from "./gate.ts";
import { type IconName, icon, toolIcon } from "./icons.ts";
import { layOutJson } from "./json-layout.ts";
import { codeBlock, type Html, highlightJson, html, prose } from "./markup.ts";
import { recommendedOffer } from "./pack-plan.ts";
import { pageLinks } from "./page-links.ts";
import {
  allPagesAreFree,
  type DashboardOffer,
  type PageOptions,
  signUpIsOpen,
  toolsWithPage,
} from "./page-options.ts";
import { offerCard } from "./pricing.ts";
import { curlCode, traitsOf } from "./request-code.ts";
import { renderPage } from "./shell.ts";
import { tryIt } from "./try-it.ts";

/** The front page: what the service is beside a call, the tools, two of them to try, what a call costs, and how to begin. */
export function frontPage(options: PageOptions): string {
  return renderPage(
    {
      path: "/",
      title: hasOwnName(options) ? options.name : "Toolbooth - small developer tools over HTTP",
      description: description(options),
      style: FRONT_STYLE,
      main: [
        hero(options),
        ownTool(options),
        tools(options),
        tryIt(options),
        creditExample(options),
        prices(options),
        reasons(options),
        !hasOwnName(options) && selfHosting(options),
        closing(options),
      ],
    },
    options,
  );
}

/** The titles of the tools as far as search engines show them, and how they are paid. */
function description({ tools }: PageOptions): string {
  const paid = "as HTTP endpoints, paid with credits. Errors are free.";
  let shown = "Tools";
  for (const [index, { title }] of tools.entries()) {
    const next = index === 0 ? title : `${shown}, ${title}`;
    if (next.length > TITLES_CHARS_MAX) break;
    shown = next;
  }
  return `${shown} ${paid}`;
}

const TITLES_CHARS_MAX = 100;

function hero(options: PageOptions): Html {
  const { dashboard, look } = options;
  return html`<div class="hero"><div class="pitch">
<h1>${look?.headline ?? "Small tools, one request away"}</h1>
<p class="lead">${look?.lead ?? defaultLead(options)}</p>
${mainActions(options)}${
  signUpIsOpen(options) &&
  html`<p class="small soft">${
    dashboard.starter.credits > 0 &&
    `You get ${counted(dashboard.starter.credits, "starter credit")} when you first sign in. `
  }${freeCall(options)}</p>`
}</div>
${callShown(options)}</div>
`;
}

function defaultLead(options: PageOptions): Html {
  const hasPages = toolsWithPage(options).length > 0;
  return html`${hasOwnName(options) ? "Tools" : "Developer tools"} as HTTP endpoints${hasPages && " and as pages in your browser"}. JSON or files in, JSON or the bare result out, no client library. A successful call costs ${callPrice(options.tools)}; an error costs nothing.`;
}

/** A call beside the words of the front page: the request, the barrier that takes its price, and the response. All of it is true. */
function callShown(options: PageOptions): Html {
  const { publicUrl, tools } = options;
  const { tool, request } = firstCall(tools);
  const [example] = tool.examples;
  const call = {
    url: `${publicUrl}/api/v1/${tool.name}`,
    body: request,
    variable: keyVariableOf(options),
    ...traitsOf(tool),
  };
  return html`<div class="call">
${codeBlock("Request", curlCode(call))}
<div class="toll">${gatePicture(toolIcon(tool.name), { raised: true })}<p>${tollOf(tool)} An error costs none.</span></p></div>
${example && codeBlock(html`Response <b class="status">200 OK</b>`, highlightJson(layOutJson(shorten(example.response).value)))}</div>
`;
}

/** What the barrier takes. Only its thread knows what an input costs. */
const tollOf = ({ price, priceOf }: Tool): Html =>
  priceOf === undefined
    ? html`<code>Credits-Charged: ${price}</code><span>${price === 1 ? "One credit." : `${counted(price, "credit")}.`}`
    : html`<code>Credits-Charged</code><span>Up to ${creditsText(price)}, depending on the input.`;

/** One primary button, and one that leads to more without an account. */
function mainActions(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  return html`<p class="actions">${
    signUpIsOpen(options)
      ? html`<a class="button tb-if-out" href="${links.signIn}">Get started</a>
<a class="button tb-if-in" href="${links.home}">Open your dashboard</a>\n`
      : html`<a class="button" href="${links.quickstart}">Make your first call</a>\n`
  }${
    toolsWithPage(options).length > 0
      ? html`<a class="button quiet" href="${links.tools}">Use the tools in your browser</a>`
      : html`<a class="button quiet" href="${links.docs}">Read the documentation</a>`
  }</p>
`;
}

/** How to have a tool of one's own, for those who look for the software. Null where the documentation is missing. */
function ownTool(options: PageOptions): Html | null {
  const [, code] = /```ts\n([\s\S]*?)```/.exec(options.docs?.["own-tools.md"] ?? "") ?? [];
  if (hasOwnName(options) || code === undefined) return null;
  return html`<section class="split" aria-labelledby="own"><div><h2 id="own">Sell your own function</h2>
<p>A tool is one file. Toolbooth derives the rest: the endpoint, input validation, the price, safe retries, the OpenAPI description, a documentation page, the tool for agents, and entries in usage and the request log.</p>
<p class="actions"><a class="button quiet" href="${pageLinks(options.publicUrl).ownTools}">Read about your own tools</a></p></div>
<div>${codeBlock("tools/word-count.ts", code.trimEnd())}</div></section>
`;
}

function tools(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  const pages = new Set(toolsWithPage(options));
  const address = (tool: Tool) => `${pages.has(tool) ? links.tools : links.docs}/${tool.name}`;
  const card = (href: string, name: IconName, title: string, path: string, text: string) =>
    html`<li><a href="${href}"><span class="tile">${icon(name)}</span><b>${title}</b><code>${path}</code><span>${prose(text)}</span></a></li>\n`;
  return html`<section aria-labelledby="tools"><h2 id="tools">${hasOwnName(options) ? "The tools" : "Included tools"}</h2>
<p class="lead">${
    pages.size === options.tools.length && allPagesAreFree(options)
      ? "Each tool is an endpoint and a page. The pages are free and need no account."
      : "Each tool does one thing and documents every limit."
  }</p>
<ul class="cards">${options.tools.map((tool) =>
    card(address(tool), toolIcon(tool.name), tool.title, `POST /api/v1/${tool.name}`, tool.summary),
  )}${card(links.docs, "docs", "Documentation", "GET /docs", "Every field, every limit, examples in five languages.")}</ul></section>
`;
}

type Row = { what: Html; detail: string; change: number };

/** What an account gets in the example if there are no starter credits, or too few for its calls. */
function grantFor(credits: number): number {
  let amount = 1_000;
  while (amount < credits) amount *= 10;
  return amount;
}

/** How credits work, by an account's first calls with the tools, the prices and the starter credits of this service. */
function creditExample(options: PageOptions): Html {
  const { dashboard, tools } = options;
  const starter = signUpIsOpen(options) ? dashboard.starter.credits : 0;
  const first = tools[0] as Tool;
  const second = tools[1] ?? first;
  const last = tools.at(-1) ?? first;
  const isFirstFree =
    freeCall(options) !== "" && first.price > 0 && first.price <= options.freeCallCredits;
  const cost = (isFirstFree ? 0 : first.price) + second.price;
  const nameOf = ({ name }: Tool) => html`<code>${name}</code>`;
  const rows: Row[] = [
    starter > 0 && starter >= cost
      ? { what: html`Starter credits`, detail: "Your first sign-in", change: starter }
      : {
          what: html`Credits granted`,
          detail: "By the operator of the service",
          change: grantFor(cost),
        },
    {
      what: nameOf(first),
      detail: isFirstFree ? "200, the first call of an account is free" : successOf(first),
      change: isFirstFree ? 0 : -first.price,
    },
    { what: nameOf(second), detail: successOf(second), change: -second.price },
    {
      what: nameOf(second),
      detail: "200, repeated with the same Idempotency-Key",
      change: 0,
    },
    { what: nameOf(last), detail: "400, a field is out of range", change: 0 },
  ];
  let balance = 0;
  return html`<section class="split wash" aria-labelledby="credits"><div><h2 id="credits">How credits work</h2>
<p>A call costs the price of its tool: ${priceText(second)} for a call of <code>${second.name}</code>. You pay for results only, so errors and repeats are free, and the balance never goes below zero.</p>
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

const successOf = ({ priceOf }: Tool): string =>
  priceOf === undefined ? "200" : "200, for the most expensive input";

const signed = (change: number): string => {
  const amount = Math.abs(change).toLocaleString("en-US");
  if (change === 0) return "0";
  return `${change > 0 ? "+" : "−"}${amount}`;
};

/** The price list; null where no credits are for sale. */
function prices(options: PageOptions): Html | null {
  const { dashboard, publicUrl } = options;
  const { packs, lifetime } = dashboard.prices;
  const offers = lifetime === null ? packs : [...packs, lifetime];
  if (offers.length === 0) return null;
  const recommended = recommendedOffer(dashboard.prices);
  return html`<section aria-labelledby="prices"><h2 id="prices">Prices</h2>
<p class="lead">A successful call costs ${callPrice(options.tools)}. You buy credits in packs${
    lifetime && ", or with a lifetime plan on which they never expire"
  }. There is no subscription.</p>
<ul class="packs">${offers.map((offer) => offerCard(offer, offer.id === recommended, false))}</ul>
<p class="soft">${freeTier(dashboard, signUpIsOpen(options), freeCall(options))}${
    dashboard.prices.taxesAdded && "Taxes depend on your address and are added at checkout. "
  }${howToBuy(dashboard.prices, pageLinks(publicUrl).credits)}</p>
<p class="actions"><a class="button quiet" href="${pageLinks(publicUrl).pricing}">Compare prices</a></p></section>
`;
}

function freeTier({ starter }: DashboardOffer, isOpen: boolean, free: string): string {
  if (!isOpen || starter.credits === 0) return `${free} `;
  return `Start free: you get ${counted(starter.credits, "starter credit")} when you first sign in, valid for ${counted(starter.days, "day")}. ${free} `;
}

const howToBuy = ({ payable, contact }: PricesView, credits: string): Html =>
  payable
    ? html`Buy credits on the <a href="${credits}">Credits</a> page.`
    : contact === null
      ? html`To buy credits, contact the operator of this service.`
      : html`To buy credits, contact <a href="${contactHref(contact)}">${contact}</a>.`;

function reasons(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  const list: [IconName, string, string, Html][] = [
    [
      "check",
      "An exact ledger",
      `Each call is debited exactly once, on disk, before its response leaves.${hasOwnName(options) ? "" : " The test suite kills the server under load to prove it."}`,
      html`<a href="${links.docsCredits}">How credits work</a>`,
    ],
    [
      "info",
      "Errors that say what to do",
      "An error lists every problem at once, suggests the nearest field name, and has a code that never changes its meaning. If a failing database leaves a charge in doubt, the error says so and the charge is reversed.",
      html`<a href="${links.errors}">All errors</a>`,
    ],
    [
      "refresh",
      "Safe retries",
      "Send an Idempotency-Key. If you repeat the call within 24 hours, you get the first response again, byte for byte, without a charge.",
      html`<a href="${links.calls}#safe-retries">Safe retries</a>`,
    ],
    allPagesAreFree(options)
      ? [
          "lock",
          "The same bytes in your browser",
          "The tool pages run the code that serves the API. Your input never leaves the page.",
          html`<a href="${links.browserTools}">Browser tools</a>`,
        ]
      : [
          "docs",
          "Documented limits",
          "Every field, every limit and every error of a tool is on its page, with examples in five languages.",
          html`<a href="${links.docs}">Documentation</a>`,
        ],
    [
      "keys",
      "Revoked keys stop at once",
      "The ledger checks a key in the same transaction as the debit, so no cache can let a revoked key through.",
      html`<a href="${links.accounts}#api-keys">API keys</a>`,
    ],
    [
      "terminal",
      "Ready for agents",
      "The tools over the Model Context Protocol, an OpenAPI description, and every page of the documentation as Markdown.",
      html`<a href="${links.mcp}">Agents</a>`,
    ],
  ];
  return html`<section aria-labelledby="why"><h2 id="why">What you can count on</h2>
<ul class="reasons">${list.map(
    ([name, title, text, link]) =>
      html`<li><h3>${icon(name)}${title}</h3><p>${text}</p><p class="small">${link}</p></li>\n`,
  )}</ul></section>
`;
}

function selfHosting({ publicUrl }: PageOptions): Html {
  const links = pageLinks(publicUrl);
  return html`<section class="split" aria-labelledby="operators"><div><h2 id="operators">Host it yourself with one command</h2>
<p>One process and one SQLite file. When you outgrow one machine, nodes share PostgreSQL, or you deploy to Cloudflare Workers. Metrics, health checks, online backups and an audit of the ledger are included. MIT license.</p>
<p class="actions"><a class="button quiet" href="${links.selfHosting}">Read about self-hosting</a></p></div>
<div>${codeBlock("Starts with a demo account and prints its key", "npm ci && npm start")}
${codeBlock(
  "An account with credits, and a check of the whole ledger",
  `npm run -s toolbooth -- account create you@example.com --credits 1000
npm run -s toolbooth -- audit`,
)}</div></section>
`;
}

function closing(options: PageOptions): Html {
  return html`<section class="closing" aria-labelledby="begin">${gatePicture("check", { raised: true })}
<h2 id="begin">Your first call</h2>
<p class="lead">Create a key, paste one command, and read the response.</p>
${mainActions(options)}</section>
`;
}
