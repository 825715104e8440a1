import type { Render } from "./hostile-times.ts";

/**
 * An engine that breaks one rule for each character that fills a document, which shows that the trials detect every
 * violation.
 */
export const renderMarkdown: Render = (markdown, withText) => {
  const { length } = markdown;
  const [first = "", second] = markdown;
  const fault = first === second ? FAULTS[first]?.(length) : undefined;
  const html = fault?.html ?? "<p>a</p>\n";
  // Takes a few steps per character, like a real engine.
  spin(length * 4);
  return withText ? { html, text: fault?.text ?? "a\n" } : { html };
};

const FAULTS: Readonly<Record<string, (length: number) => { html?: string; text?: string }>> = {
  // So steep that the small document stays below the noise limit, whether or not the code has been compiled.
  "*": (length) => spin((length / 43_000) ** 6),
  _: () => {
    for (;;);
  },
  "`": () => {
    throw new RangeError("Maximum call stack size exceeded");
  },
  "[": (length) => ({ html: "a".repeat(length * 31) }),
  "]": (length) => ({ text: "a".repeat(length * 31) }),
  "(": () => ({ html: "<em>".repeat(700) + "</em>".repeat(700) }),
  ")": () => ({ html: "<p><em>a</p></em>" }),
  "<": () => ({ html: "<p>a" }),
  ">": () => ({ html: '<a href="b">c<em><a href="d">e</a></em></a>' }),
  "!": () => ({ html: '<p title="<b">a</p>' }),
  "&": () => ({ html: "<p>a < b</p>" }),
  "#": (length) => spin(length * 200),
};

function spin(count: number): { html?: string } {
  let steps = 0;
  for (let step = 0; step < count; step += 1) steps = (Math.imul(steps, 31) + step) | 0;
  // The count is used so that the compiler does not remove the loop.
  return steps === 1 ? { html: "" } : {};
}
