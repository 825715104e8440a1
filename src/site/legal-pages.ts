import { renderPageBody } from "./docs/render-page.ts";
import { LEGAL_LABELS, LEGAL_NAMES } from "./legal-sources.ts";
import { html, raw } from "./markup.ts";
import type { PageOptions } from "./page-options.ts";
import { renderPage } from "./shell.ts";

/** The page with this path; undefined where the operator published none. */
export function legalPage(path: string, options: PageOptions): string | undefined {
  const name = LEGAL_NAMES.find((each) => `/${each}` === path && each !== "status");
  const markdown = name && options.legal?.[name];
  if (name === undefined || markdown === undefined) return undefined;
  const { title, body } = renderPageBody(markdown);
  const heading = title || LEGAL_LABELS[name];
  return renderPage(
    {
      path,
      title: `${heading} - ${options.name}`,
      description: `${heading} of this service.`,
      // The first paragraph of a legal text is not an introduction.
      main: html`<article class="docs"><h1>${heading}</h1>
${raw(body.replace('<p class="lead">', "<p>"))}</article>`,
    },
    options,
  );
}
