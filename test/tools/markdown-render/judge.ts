import { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";
import { DIFFERENCES, type Difference, FAULTS_OF_MICROMARK } from "./differences.ts";
import { normalizeGfm, normalizeHtml, normalizeStripped } from "./normalize-html.ts";
import {
  hasRawHtml,
  renderMicromark,
  renderMicromarkGfm,
  renderStripped,
} from "./reference-engines.ts";
import { withoutAddresses, withoutCode, withoutGfm } from "./rewrite-markdown.ts";

export type Engine = (markdown: string) => string;

/** An exception counts as the document's rendering, so that it is shrunk and shown like any other difference. */
const renderOurs: Engine = (markdown) => {
  try {
    return renderMarkdown(markdown, false).html;
  } catch (error) {
    return `our engine: ${error}`;
  }
};

/** One document as each engine renders it, in normalized form. */
type Renderings = {
  readonly ours: string;
  readonly commonMark: string;
  readonly micromark: string;
  /** By micromark without its extensions. */
  readonly micromarkCore: () => string;
};

/**
 * The verdict on a document. Without GFM constructs there are two references, and ours must equal one of them. With GFM
 * constructs, micromark is the only reference.
 */
export type Agreement =
  | "as both references"
  | "as micromark, with constructs of GFM"
  | "as commonmark.js, where micromark differs"
  | "as micromark, where commonmark.js differs";

export type Verdict = Agreement | { readonly reasons: readonly string[] } | "unexplained";

const FALLBACK =
  "micromark reads the document without GFM's characters otherwise than commonmark.js and we do";

const ALL = [...FAULTS_OF_MICROMARK, ...DIFFERENCES];

/** `engine` is ours, except in a test that checks whether a faulty one is detected. */
export function judge(markdown: string, engine = renderOurs): Verdict {
  const renderings = render(markdown, engine);
  const agreed = agreement(renderings);
  if (agreed !== undefined) return agreed;
  // If commonmark.js can judge too, errors of micromark are no excuse.
  const known = isPlain(renderings) ? DIFFERENCES : ALL;
  const takeOut = (text: string) => takingOut(text, engine);
  return (
    explanation(takeOut(markdown), known) ?? fallback(markdown, known, takeOut) ?? "unexplained"
  );
}

export function render(markdown: string, engine = renderOurs): Renderings {
  const stripped = hasRawHtml(markdown);
  const written = (html: string) =>
    normalizeGfm(stripped ? normalizeStripped(html) : normalizeHtml(html));
  let core: string | undefined;
  return {
    ours: written(engine(markdown)),
    commonMark: written(renderStripped(markdown)),
    micromark: written(renderMicromarkGfm(markdown)),
    micromarkCore: () => {
      core ??= written(renderMicromark(markdown));
      return core;
    },
  };
}

function agreement(renderings: Renderings): Agreement | undefined {
  const { ours, commonMark, micromark } = renderings;
  if (ours === commonMark && ours === micromark) return "as both references";
  if (ours !== commonMark && ours !== micromark) return undefined;
  if (ours === micromark) {
    return isPlain(renderings)
      ? "as micromark, where commonmark.js differs"
      : "as micromark, with constructs of GFM";
  }
  return isPlain(renderings) ? "as commonmark.js, where micromark differs" : undefined;
}

/** The extensions of GFM change nothing. */
const isPlain = ({ micromark, micromarkCore }: Renderings) => micromarkCore() === micromark;

/** Returns the differences that must be removed for the engines to agree. */
function explanation(
  without: Without,
  known: readonly Difference[],
): { reasons: string[] } | undefined {
  const agree = (differences: readonly Difference[]) => {
    const renderings = without(differences);
    return renderings.ours === renderings.micromark || agreement(renderings) !== undefined;
  };
  const enough = [known, ...setsWithoutOne(known)].find(agree);
  if (enough === undefined) return undefined;
  let needed = enough;
  // The last ones remove the most.
  for (const difference of enough.toReversed()) {
    const fewer = needed.filter((other) => other !== difference);
    if (agree(fewer)) needed = fewer;
  }
  return { reasons: needed.map(({ reason }) => reason) };
}

/** Removing one difference can introduce another. */
const setsWithoutOne = (known: readonly Difference[]) =>
  known.map((difference) => known.filter((other) => other !== difference));

function fallback(
  markdown: string,
  known: readonly Difference[],
  takeOut: (markdown: string) => Without,
): { reasons: string[] } | undefined {
  const isCore = [withoutGfm, withoutAddresses, withoutCode].some((rewrite) => {
    const { ours, commonMark, micromark } = takeOut(rewrite(markdown))(known);
    return ours === commonMark && ours !== micromark;
  });
  return isCore ? { reasons: [FALLBACK] } : undefined;
}

/** A document's renderings without some differences. */
type Without = (differences: readonly Difference[]) => Renderings;

/** Caches renderings. */
function takingOut(markdown: string, engine: Engine): Without {
  const rendered = new Map<string, Renderings>();
  return (differences) => {
    const applied = differences.filter(({ when }) => when?.test(markdown) ?? true);
    const lines = markdown.replaceAll(/\r\n?/g, "\n");
    const source = applied.reduce((text, change) => change.source?.(text) ?? text, lines);
    const renderings = rendered.get(source) ?? render(source, engine);
    rendered.set(source, renderings);
    const changed = (html: string) =>
      applied.reduce((text, change) => change.html?.(text) ?? text, html);
    return {
      ours: changed(renderings.ours),
      commonMark: changed(renderings.commonMark),
      micromark: changed(renderings.micromark),
      micromarkCore: () => changed(renderings.micromarkCore()),
    };
  };
}
