import type { Tool } from "#tools/define-tool.ts";
import type { DocsPage } from "./docs-frame.ts";
import { contentsOf, type DocsSection, guideSection } from "./guide-blocks.ts";
import { type Html, html, prose } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";

/** The tools as pages, for people without a key and without a program. */
export function browserToolsPage({ publicUrl, tools }: PageOptions): DocsPage {
  const sections: DocsSection[] = [
    { id: "the-tools", title: "The tools", blocks: [toolList(tools, publicUrl)] },
    {
      id: "same-result",
      title: "The same result as a call",
      blocks: [
        "A page runs the very code that answers calls, with the same checks, limits and messages. What `markdown-render`, `qr-code` and `hash` make of an input is therefore the same, byte for byte, here and there.",
        "`uuid` takes its random bytes from your browser, and `echo` its time from your computer's clock. Everything else of their answers is the same too.",
        "Each page shows the curl line that would ask the service for what you see.",
      ],
    },
    {
      id: "in-your-browser",
      title: "What stays with you",
      blocks: [
        "Your input does not leave the page: nothing is sent, nothing is stored, no key and no credit is needed. Large inputs are worked on in a thread of their own, so that the page goes on answering you.",
        "Rendered Markdown is shown in a sandboxed frame, in which no script runs.",
      ],
    },
  ];
  return {
    path: "/docs/browser-tools",
    label: "Browser tools",
    title: "Browser tools",
    description:
      "Every tool of Toolbooth as a page: free, without a key, computed in your browser.",
    lead: "Every tool is also a page: free, open to everyone, computed in your browser.",
    contents: contentsOf(sections),
    body: sections.map(guideSection),
  };
}

function toolList(tools: readonly Tool[], publicUrl: string): Html {
  const links = pageLinks(publicUrl);
  return html`<ul>${tools.map(
    ({ name, summary }) =>
      html`<li><a href="${links.tools}/${name}"><code>${name}</code></a>: ${prose(summary)}</li>\n`,
  )}</ul>`;
}
