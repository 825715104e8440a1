import { guide } from "#api/openapi/guide.ts";
import type { DocsPage } from "./docs-frame.ts";
import { contentsOf, guideSection } from "./guide-blocks.ts";
import type { PageOptions } from "./page-options.ts";

/** What holds for every call: the guide of the description, but for credits, which the quick start has. */
export function callsPage(options: PageOptions): DocsPage {
  const sections = guide(options).filter(({ id }) => id !== "credits");
  return {
    path: "/docs/calls",
    label: "Making calls",
    title: "Making calls",
    description:
      "Authentication, refusals, safe repeats, rate limit, size limits and compression of the Toolbooth API.",
    lead: "What holds for every call, whichever the tool.",
    contents: contentsOf(sections),
    body: sections.map(guideSection),
  };
}
