import { scanHtml } from "./hostile-html.ts";
import { type Hostile, ofBytes } from "./hostile-shapes.ts";
import { collectGarbage, type Render, type Times, timed } from "./hostile-times.ts";

/** Renders a hostile document in three sizes and compares the results with the bounds. */
export const KB = 1024;
const SMALL = 64 * KB;
const MEDIUM = 256 * KB;
export const LARGE = 1024 * KB;

const TIMES_ORDINARY_MAX = 10;
const OUTPUT_MAX = 30;
/** Four times the size may take four times as long; the rest of the margin is for caches and garbage collection. */
const GROWTH_MAX = 9;
/** Browsers limit nesting to 512 elements, and recursive readers fail not far above that. */
const DEPTH_MAX = 600;

/** The rules, most serious first. */
export const RULES = ["hangs", "throws", "slow", "grows", "large", "deep", "broken"] as const;
export type Rule = (typeof RULES)[number];
/** The ratio to the bound, and a description. */
export type Failure = { readonly rule: Rule; readonly by: number; readonly why: string };
export type Trial = {
  readonly name: string;
  /** The time at 1 MB relative to the ordinary document. */
  readonly times: number;
  readonly failures: readonly Failure[];
};
type Fail = (rule: Rule, by: number, why: string) => void;

export function tryHostile(render: Render, times: Times, { name, make }: Hostile): Trial {
  const failures: Failure[] = [];
  const fail: Fail = (rule, by, why) => {
    failures.push({ rule, by, why });
  };
  collectGarbage();
  const rendered = (bytes: number) => {
    const markdown = ofBytes(make, bytes);
    const { value, ms } = timed(() => render(markdown, true));
    judgeOutput(markdown, value, fail);
    return { markdown, ms };
  };
  let worst = 0;
  try {
    rendered(SMALL);
    worst = judgeTimes(times, rendered(MEDIUM), rendered(LARGE), fail);
  } catch (error) {
    fail("throws", 1, String(error));
  }
  return { name, times: worst, failures };
}

function judgeOutput(markdown: string, { html, text }: ReturnType<Render>, fail: Fail): void {
  const bytes = Buffer.byteLength(markdown);
  if (text === undefined) throw new Error("there is no plain text");
  for (const [what, output] of Object.entries({ HTML: html, text })) {
    const times = Buffer.byteLength(output) / bytes;
    if (times > OUTPUT_MAX) {
      fail("large", times / OUTPUT_MAX, `${what} of ${times.toFixed(1)} times ${bytes} bytes`);
    }
  }
  const { depth, fault } = scanHtml(html);
  if (depth >= DEPTH_MAX) fail("deep", depth / DEPTH_MAX, `${depth} elements in one another`);
  if (fault !== null) fail("broken", 1, fault);
}

type Rendered = { readonly markdown: string; readonly ms: number };

/** Returns the time of the large document relative to the ordinary one. */
function judgeTimes(times: Times, medium: Rendered, large: Rendered, fail: Fail): number {
  const { markdown } = large;
  const text = times.beside(markdown, true, large.ms, TIMES_ORDINARY_MAX);
  const html = times.beside(markdown, false, times.ms(markdown, false), TIMES_ORDINARY_MAX);
  const worst = Math.max(html, text);
  if (worst > TIMES_ORDINARY_MAX) {
    const why = `${html.toFixed(1)} times an ordinary one, with plain text ${text.toFixed(1)}`;
    fail("slow", worst / TIMES_ORDINARY_MAX, why);
  }
  const growth = times.growth([medium.markdown, markdown], [medium.ms, large.ms], GROWTH_MAX);
  if (growth > GROWTH_MAX) {
    const why = `${growth.toFixed(1)} times as long at 1 MB (${large.ms} ms) as at 256 KB`;
    fail("grows", growth / GROWTH_MAX, why);
  }
  return worst;
}
