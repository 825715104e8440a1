import { callPrice, freeCall } from "#api/openapi/price-text.ts";
import { codeBlock } from "./code-block.ts";
import { callShown } from "./front-call.ts";
import { creditExample } from "./front-credits.ts";
import { prices } from "./front-prices.ts";
import { FRONT_STYLE } from "./front-style.ts";
import { tryIt } from "./front-try.ts";
import { gatePicture } from "./gate.ts";
import { type Html, html, prose } from "./html.ts";
import { type IconName, icon, toolIcon } from "./icons.ts";
import { pageLinks } from "./page-links.ts";
import { type PageOptions, signUpIsOpen } from "./page-options.ts";
import { renderPage } from "./shell.ts";

/** The front page: what the service is beside a call, the tools, two of them to try, what a call costs, and how to begin. */
export function frontPage(options: PageOptions): string {
  return renderPage(
    {
      path: "/",
      title: "Toolbooth - small developer tools over HTTP",
      description:
        "Markdown to safe HTML, QR codes, hashes, UUIDs and echo as metered HTTP endpoints and as pages. Pay with credits; errors are free. Host it yourself.",
      style: FRONT_STYLE,
      main: [
        hero(options),
        tools(options),
        tryIt(options),
        creditExample(options),
        prices(options),
        reasons(options),
        selfHosting(options),
        closing(options),
      ],
    },
    options,
  );
}

function hero(options: PageOptions): Html {
  const { dashboard } = options;
  return html`<div class="hero"><div class="pitch">
<h1>Small tools, one request away</h1>
<p class="lead">Developer tools as HTTP endpoints${dashboard && " and as pages in your browser"}. JSON or files in, JSON or the bare result out, no client library. A successful call costs ${callPrice(options.tools)}; an error costs nothing.</p>
${mainActions(options)}${
  dashboard &&
  signUpIsOpen(options) &&
  html`<p class="small soft">${
    dashboard.starter.credits > 0 &&
    `You get ${dashboard.starter.credits} starter credits when you confirm your email address. `
  }${freeCall(options)}</p>`
}</div>
${callShown(options)}</div>
`;
}

/** One primary button, and one that leads to more without an account. */
function mainActions(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  return html`<p class="actions">${
    signUpIsOpen(options)
      ? html`<a class="button tb-if-out" href="${links.signUp}">Create an account</a>
<a class="button tb-if-in" href="${links.home}">Open your dashboard</a>\n`
      : html`<a class="button" href="${links.quickstart}">Make your first call</a>\n`
  }${
    options.dashboard
      ? html`<a class="button quiet" href="${links.tools}">Use the tools in your browser</a>`
      : html`<a class="button quiet" href="${links.docs}">Read the documentation</a>`
  }</p>
`;
}

function tools({ publicUrl, dashboard, tools: all }: PageOptions): Html {
  const links = pageLinks(publicUrl);
  const address = (name: string) => `${dashboard ? links.tools : links.docs}/${name}`;
  const card = (href: string, name: IconName, title: string, path: string, text: string) =>
    html`<li><a href="${href}"><span class="tile">${icon(name)}</span><b>${title}</b><code>${path}</code><span>${prose(text)}</span></a></li>\n`;
  return html`<section aria-labelledby="tools"><h2 id="tools">The tools</h2>
<p class="lead">${
    dashboard
      ? "Each tool is an endpoint and a page. The pages are free and need no account."
      : "Each tool does one thing and documents every limit."
  }</p>
<ul class="cards">${all.map(({ name, title, summary }) =>
    card(address(name), toolIcon(name), title, `POST /api/v1/${name}`, summary),
  )}${card(links.docs, "docs", "Documentation", "GET /docs", "Every field, every limit, examples in five languages.")}</ul></section>
`;
}

function reasons({ publicUrl, dashboard }: PageOptions): Html {
  const links = pageLinks(publicUrl);
  const list: [IconName, string, string, Html][] = [
    [
      "check",
      "An exact ledger",
      "Each call is debited exactly once and is on disk before its response leaves. The test suite kills the server under load to prove it.",
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
    dashboard
      ? [
          "lock",
          "The same bytes in your browser",
          "The tool pages run the code that serves the API. Your input never leaves the page.",
          html`<a href="${links.browserTools}">Browser tools</a>`,
        ]
      : [
          "check",
          "The same response everywhere",
          "Markdown, QR codes and hashes depend on nothing but their input: no clock, no network, no randomness.",
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
