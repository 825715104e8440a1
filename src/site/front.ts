import { callPrice, freeCall } from "#api/openapi/price-text.ts";
import { codeBlock } from "./code-block.ts";
import { prices } from "./front-prices.ts";
import { tryIt } from "./front-try.ts";
import { type Html, html, prose } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import { type PageOptions, signUpIsOpen } from "./page-options.ts";
import { curlCode } from "./request-code.ts";
import { renderPage } from "./shell.ts";

/** The front page: what this is, two tools to try, the way to a first call, and why one may rely on it. */
export function frontPage(options: PageOptions): string {
  return renderPage(
    {
      path: "/",
      title: "Toolbooth - small developer tools over HTTP",
      description:
        "Markdown to safe HTML, QR codes, hashes, UUIDs and echo as metered HTTP endpoints and as pages. Paid with credits, refusals free, yours to host.",
      current: null,
      main: [
        hero(options),
        steps(options),
        tools(options),
        prices(options),
        reasons(options),
        operators(options),
      ],
    },
    options,
  );
}

function hero(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  const { people } = options;
  return html`<div class="hero"><div class="pitch">
<h1>Small tools, one request away</h1>
<p class="lead">Five developer tools as HTTP endpoints${people && ", and as pages in your browser"}. JSON in, JSON out, no client library. A successful call costs ${callPrice(options.tools)}; a refused one costs nothing.</p>
<p class="actions">${
    signUpIsOpen(options)
      ? html`<a class="button" href="${links.signUp}">Create an account</a>\n`
      : html`<a class="button" href="${links.docs}">Make a first call</a>\n`
  }${
    people
      ? html`<a class="button quiet" href="${links.tools}">Use the tools here</a>`
      : html`<a class="button quiet" href="${links.reference}">Read the reference</a>`
  }</p>
${
  people &&
  signUpIsOpen(options) &&
  html`<p class="small soft">${
    people.starter.credits > 0 &&
    `${people.starter.credits} starter credits with your confirmed e-mail address. `
  }${freeCall(options)}</p>`
}</div>
${tryIt(options)}</div>
`;
}

function steps(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  const call = { url: `${options.publicUrl}/api/v1/uuid`, body: { count: 2 } };
  const key = signUpIsOpen(options)
    ? html`<a href="${links.signUp}">Sign up here</a> and confirm your e-mail address, then make a key under Settings, API keys. Or take the demo key that your own copy prints at its first start.`
    : html`Ask the operator of this service for one, or take the demo key that your own copy prints at its first start.`;
  return html`<section aria-labelledby="start"><h2 id="start">Start in three steps</h2>
<ol class="steps">
<li><h3>Run it, or use this one</h3><p>Your own copy is two commands away, with all its data in one folder. This service is running already.</p>
${codeBlock("In a copy of the source", "npm ci && npm start")}</li>
<li><h3>Get a key</h3><p>${key}</p>
${codeBlock("In your shell", 'export TOOLBOOTH_KEY="tb_…"')}</li>
<li><h3>Call a tool</h3><p>With curl, or with whatever sends HTTP. The <a href="${links.docs}">quick start</a> has it in JavaScript and Python too.</p>
${codeBlock("Two UUIDs", curlCode(call))}</li>
</ol></section>
`;
}

function tools({ publicUrl, people, tools: all }: PageOptions): Html {
  const links = pageLinks(publicUrl);
  const address = (name: string) =>
    people ? `${links.tools}/${name}` : `${links.reference}#${name}`;
  return html`<section aria-labelledby="tools"><h2 id="tools">Five tools</h2>
<p class="lead">${
    people
      ? "Each one is an endpoint and a page. The pages are free and need no account."
      : "Each one does one thing, with every limit written down."
  }</p>
<ul class="cards">${all.map(
    ({ name, summary }) =>
      html`<li><a href="${address(name)}"><code>${name}</code><span>${prose(summary)}</span></a></li>\n`,
  )}<li><a href="${links.reference}"><b>Reference</b><span>Every field, every limit, examples in three languages.</span></a></li>
</ul></section>
`;
}

function reasons({ publicUrl, people }: PageOptions): Html {
  const links = pageLinks(publicUrl);
  const list: [string, string, Html | null][] = [
    [
      "An exact ledger",
      "A call is debited exactly once, on the disk, before its answer leaves. The test suite kills the server under load to show it.",
      html`<a href="${links.docs}#credits">How credits work</a>`,
    ],
    [
      "Refusals are free, and tell you what to do",
      "Every fault at once in plain words, the nearest field name suggested, and a code that never changes its meaning.",
      html`<a href="${links.errors}">All errors</a>`,
    ],
    [
      "Repeat without fear",
      "With an Idempotency-Key, a repeat within 24 hours gets the first answer again, byte for byte, and is not charged.",
      html`<a href="${links.calls}#idempotency">Repeating a call safely</a>`,
    ],
    people
      ? [
          "The same bytes in your browser",
          "The tool pages run the very code that answers calls. Your input does not leave the page.",
          html`<a href="${links.browserTools}">Browser tools</a>`,
        ]
      : [
          "The same answer everywhere",
          "Markdown, QR codes and hashes depend on nothing but their input: no clock, no network, no chance.",
          html`<a href="${links.reference}">Tool reference</a>`,
        ],
    [
      "A revoked key stops at the next call",
      "Its standing is decided in the same transaction as the debit. Nothing is cached that could let it through.",
      html`<a href="${links.accounts}#keys">API keys</a>`,
    ],
    [
      "One command to host it",
      "One process and one SQLite file. No queue, no cache, no vendor to ask; and when one machine is not enough, a PostgreSQL that nodes share. MIT licence.",
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

function operators({ publicUrl }: PageOptions): Html {
  const links = pageLinks(publicUrl);
  return html`<section class="band" aria-labelledby="operators"><div><h2 id="operators">For those who run it</h2>
<p>Accounts, keys and credits from the command line, beside the running server. Prometheus metrics, health and readiness checks, one JSON line a request. Backup while it runs, and an audit that reconciles the books row by row.</p>
<p class="actions"><a class="button quiet" href="${links.selfHosting}">Read about self-hosting</a></p></div>
${codeBlock(
  "An account, a key, the books",
  `npm run -s toolbooth -- account create you@example.com --credits 1000
npm run -s toolbooth -- key create you@example.com --label production
npm run -s toolbooth -- audit`,
)}</section>`;
}
