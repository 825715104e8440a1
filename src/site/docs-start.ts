import { guide } from "#api/openapi/guide.ts";
import { callPrice, creditsText } from "#api/openapi/price-text.ts";
import hash from "#tools/hash/tool.ts";
import { codeBlock, jsonCode } from "./code-block.ts";
import type { DocsPage } from "./docs-frame.ts";
import { contentsOf, type DocsSection, guideSection } from "./guide-blocks.ts";
import { type Html, html, prose } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import { type PageOptions, signUpIsOpen } from "./page-options.ts";
import { languageTabs } from "./request-tabs.ts";

/** The way to a first answer, and what calls cost: `#credits` is where a refusal for want of credits leads. */
export function startPage(options: PageOptions): DocsPage {
  const credits = guide(options).find(({ id }) => id === "credits") as DocsSection;
  const { accounts } = pageLinks(options.publicUrl);
  const more = html`<p>Where credits come from and when they end: <a href="${accounts}#grants">Accounts, keys and credits</a>.</p>\n`;
  const sections = [{ ...credits, blocks: [...credits.blocks, more] }];
  return {
    path: "/docs",
    label: "Quick start",
    title: "Quick start",
    description:
      "From nothing to a first answer of Toolbooth in three steps, and what a call costs.",
    lead: `From nothing to a first answer in three steps. JSON in, JSON out; a call costs ${callPrice(options.tools)}.`,
    contents: [
      { id: "get-a-key", label: "1. Get a key" },
      { id: "first-call", label: "2. Make a call" },
      { id: "read-the-answer", label: "3. Read the answer" },
      ...contentsOf(sections),
      { id: "read-on", label: "Read on" },
    ],
    body: [
      getKey(options),
      firstCall(options),
      readResponse(options),
      sections.map(guideSection),
      readOn(options),
    ],
  };
}

function getKey(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  const { people } = options;
  const bySignUp =
    people &&
    signUpIsOpen(options) &&
    html`<li><a href="${links.signUp}">Sign up</a> with your e-mail address and confirm it by the link in the letter.${
      people.starter.credits > 0 &&
      ` With that come ${people.starter.credits} starter credits for ${people.starter.days} days.`
    }</li>
<li>Make a key under <a href="${links.keys}">Settings, API keys</a>. It is shown once: store it where you keep secrets.</li>\n`;
  return html`<section class="split" aria-labelledby="get-a-key"><div class="prose">
<h2 id="get-a-key"><a href="#get-a-key">1. Get a key</a></h2>
${
  bySignUp
    ? html`<ul>${bySignUp}</ul>`
    : html`<p>Accounts of this service are made by its operator: ask for a key there.</p>`
}
<p>Or <a href="${links.selfHosting}">run your own</a>: on an empty data folder the first start makes a demo account with credits and prints its key.</p>
<p>All examples expect the key in the environment variable <code>TOOLBOOTH_KEY</code>.</p>
</div><div class="aside">${codeBlock("In your shell", 'export TOOLBOOTH_KEY="tb_…"')}</div></section>
`;
}

const EXAMPLE = hash.examples[0] as (typeof hash.examples)[number];

function firstCall({ publicUrl }: PageOptions): Html {
  const { reference } = pageLinks(publicUrl);
  const call = { url: `${publicUrl}/api/v1/${hash.name}`, body: EXAMPLE.request };
  return html`<section class="split" aria-labelledby="first-call"><div class="prose">
<h2 id="first-call"><a href="#first-call">2. Make a call</a></h2>
<p>Send JSON with POST to the address of a tool, with the key as a bearer token. There is no library to install.</p>
<p>This call hashes a text. The other tools, with every field and more examples, are in the <a href="${reference}">reference</a>.</p>
</div><div class="aside">${languageTabs("first-call", call)}</div></section>
`;
}

function readResponse({ publicUrl, tools }: PageOptions): Html {
  const price = tools.find(({ name }) => name === hash.name)?.price ?? hash.price;
  const { calls, errors } = pageLinks(publicUrl);
  return html`<section class="split" aria-labelledby="read-the-answer"><div class="prose">
<h2 id="read-the-answer"><a href="#read-the-answer">3. Read the answer</a></h2>
<p>${prose(
    `A call that succeeds is answered with 200 and \`ok\` true. It costs ${creditsText(price)}; the headers \`Credits-Charged\` and \`Credits-Remaining\` say so.`,
  )}</p>
<p>${prose("Everything else is a refusal: `ok` false, a `code` to branch on, and a `detail` that says what is wrong. It costs nothing.")} <a href="${calls}#responses">How refusals are made</a>, <a href="${errors}">what each code means</a>.</p>
</div><div class="aside">${codeBlock("Answer", jsonCode(EXAMPLE.response), { status: 200 })}</div></section>
`;
}

type Card = [href: string, title: string, text: string];

function readOn(options: PageOptions): Html {
  const links = pageLinks(options.publicUrl);
  const cards: Card[] = [
    [links.calls, "Making calls", "Refusals, safe repeats, rate limit, size limits, compression"],
    [links.reference, "Tool reference", "Every field of every request and answer"],
    [links.errors, "Errors", "Each code with its cause and its cure"],
    [links.accounts, "Accounts, keys and credits", "Who pays, and how it is kept safe"],
    ...(options.people
      ? ([[links.webhooks, "Webhooks and notices", "Be told before credits are gone"]] as Card[])
      : []),
    [links.selfHosting, "Self-hosting", "Your own copy with one command"],
    [links.openapi, "OpenAPI 3.1", "The same for programs, to generate clients from"],
  ];
  return html`<section aria-labelledby="read-on"><h2 id="read-on"><a href="#read-on">Read on</a></h2>
<ul class="cards">${cards.map(
    ([href, title, text]) =>
      html`<li><a href="${href}"><b>${title}</b><span>${text}</span></a></li>\n`,
  )}</ul></section>
`;
}
