import { callPrice, freeCall } from "#api/openapi/price-text.ts";
import { codeBlock } from "./code-block.ts";
import { prices } from "./front-prices.ts";
import { tryIt } from "./front-try.ts";
import { type Html, html, prose } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import { type PageOptions, signUpIsOpen } from "./page-options.ts";
import { curlCode } from "./request-code.ts";
import { renderPage } from "./shell.ts";

/** The front page: what the service is, two tools to try, how to make a first call, and what customers can count on. */
export function frontPage(options: PageOptions): string {
  return renderPage(
    {
      path: "/",
      title: "Toolbooth - small developer tools over HTTP",
      description:
        "Markdown to safe HTML, QR codes, hashes, UUIDs and echo as metered HTTP endpoints and as pages. Pay with credits; errors are free. Host it yourself.",
      current: null,
      main: [
        hero(options),
        steps(options),
        tools(options),
        prices(options),
        reasons(options),
        selfHosting(options),
      ],
    },
    options,
  );
}

function hero(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  const { dashboard } = options;
  return html`<div class="hero"><div class="pitch">
<h1>Small tools, one request away</h1>
<p class="lead">Developer tools as HTTP endpoints${dashboard && " and as pages in your browser"}. JSON or files in, JSON or the bare result out, no client library. A successful call costs ${callPrice(options.tools)}; an error costs nothing.</p>
<p class="actions">${
    signUpIsOpen(options)
      ? html`<a class="button" href="${links.signUp}">Create an account</a>\n`
      : html`<a class="button" href="${links.quickstart}">Make your first call</a>\n`
  }${
    dashboard
      ? html`<a class="button quiet" href="${links.tools}">Use the tools in your browser</a>`
      : html`<a class="button quiet" href="${links.docs}">Read the documentation</a>`
  }</p>
${
  dashboard &&
  signUpIsOpen(options) &&
  html`<p class="small soft">${
    dashboard.starter.credits > 0 &&
    `You get ${dashboard.starter.credits} starter credits when you confirm your email address. `
  }${freeCall(options)}</p>`
}</div>
${tryIt(options)}</div>
`;
}

function steps(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  const call = { url: `${options.publicUrl}/api/v1/uuid`, body: { count: 2 } };
  const key = signUpIsOpen(options)
    ? html`<a href="${links.signUp}">Sign up</a>, confirm your email address and reveal your key. Your own copy prints a demo key when it starts for the first time.`
    : html`Ask the operator of this service for a key. Your own copy prints a demo key when it starts for the first time.`;
  return html`<section aria-labelledby="start"><h2 id="start">Start in three steps</h2>
<ol class="steps">
<li><h3>Use this service, or run your own</h3><p>This service is ready. Your own copy takes two commands and keeps its data in one folder.</p>
${codeBlock("In a clone of the repository", "npm ci && npm start")}</li>
<li><h3>Get a key</h3><p>${key}</p>
${codeBlock("In your shell", 'export TOOLBOOTH_KEY="tb_…"')}</li>
<li><h3>Call a tool</h3><p>With curl or anything else that sends HTTP. The <a href="${links.quickstart}">quickstart</a> shows calls in JavaScript, Python, Go and PHP.</p>
${codeBlock("Two UUIDs", curlCode(call))}</li>
</ol></section>
`;
}

function tools({ publicUrl, dashboard, tools: all }: PageOptions): Html {
  const links = pageLinks(publicUrl);
  const address = (name: string) =>
    dashboard ? `${links.tools}/${name}` : `${links.docs}/${name}`;
  return html`<section aria-labelledby="tools"><h2 id="tools">The tools</h2>
<p class="lead">${
    dashboard
      ? "Each tool is an endpoint and a page. The pages are free and need no account."
      : "Each tool does one thing and documents every limit."
  }</p>
<ul class="cards">${all.map(
    ({ name, summary }) =>
      html`<li><a href="${address(name)}"><code>${name}</code><span>${prose(summary)}</span></a></li>\n`,
  )}<li><a href="${links.docs}"><b>Documentation</b><span>Every field, every limit, examples in five languages.</span></a></li>
</ul></section>
`;
}

function reasons({ publicUrl, dashboard }: PageOptions): Html {
  const links = pageLinks(publicUrl);
  const list: [string, string, Html | null][] = [
    [
      "An exact ledger",
      "Each call is debited exactly once and is on disk before its response leaves. The test suite kills the server under load to prove it.",
      html`<a href="${links.docsCredits}">How credits work</a>`,
    ],
    [
      "Errors are free and say what to do",
      "An error lists every problem at once, suggests the nearest field name, and has a code that never changes its meaning. If a failing database leaves a charge in doubt, the error says so and the charge is reversed.",
      html`<a href="${links.errors}">All errors</a>`,
    ],
    [
      "Safe retries",
      "Send an Idempotency-Key. If you repeat the call within 24 hours, you get the first response again, byte for byte, without a charge.",
      html`<a href="${links.calls}#safe-retries">Safe retries</a>`,
    ],
    dashboard
      ? [
          "The same bytes in your browser",
          "The tool pages run the code that serves the API. Your input never leaves the page.",
          html`<a href="${links.browserTools}">Browser tools</a>`,
        ]
      : [
          "The same response everywhere",
          "Markdown, QR codes and hashes depend on nothing but their input: no clock, no network, no randomness.",
          html`<a href="${links.docs}">Documentation</a>`,
        ],
    [
      "Revoked keys stop at once",
      "The ledger checks a key in the same transaction as the debit, so no cache can let a revoked key through.",
      html`<a href="${links.accounts}#api-keys">API keys</a>`,
    ],
    [
      "One command to host it",
      "One process and one SQLite file. When you outgrow one machine, nodes share PostgreSQL. MIT license.",
      html`<a href="${links.selfHosting}">Self-hosting</a>`,
    ],
  ];
  return html`<section aria-labelledby="why"><h2 id="why">What you can count on</h2>
<ul class="reasons">${list.map(
    ([title, text, link]) =>
      html`<li><h3>${title}</h3><p>${text}</p><p class="small">${link}</p></li>\n`,
  )}</ul></section>
`;
}

function selfHosting({ publicUrl }: PageOptions): Html {
  const links = pageLinks(publicUrl);
  return html`<section class="band" aria-labelledby="operators"><div><h2 id="operators">Self-hosting</h2>
<p>Manage accounts, keys and credits from the command line while the server runs. You get Prometheus metrics, health and readiness checks, JSON logs, online backups, and an audit that reconciles the ledger row by row.</p>
<p class="actions"><a class="button quiet" href="${links.selfHosting}">Host it yourself</a></p></div>
${codeBlock(
  "An account, a key, an audit",
  `npm run -s toolbooth -- account create you@example.com --credits 1000
npm run -s toolbooth -- key create you@example.com --label production
npm run -s toolbooth -- audit`,
)}</section>`;
}
