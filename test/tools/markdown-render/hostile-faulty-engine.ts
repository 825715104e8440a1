import type { Render } from "./hostile-times.ts";

/** An engine that breaks a rule for each character that a document is full of, so that every rule is seen to be held. */
export const renderMarkdown: Render = (markdown, withText) => {
  const { length } = markdown;
  const [first = "", second] = markdown;
  const fault = first === second ? FAULTS[first]?.(length) : undefined;
  const html = fault?.html ?? "<p>a</p>\n";
  // As an engine would, it takes a few steps for every character.
  spin(length * 4);
  return withText ? { html, text: fault?.text ?? "a\n" } : { html };
};

const FAULTS: Readonly<Record<string, (length: number) => { html?: string; text?: string }>> = {
  // So steep that the small one stays below what counts as noise, whether the compiler has reached it or not.
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
  // What was counted is used, or the compiler would leave it out.
  return steps === 1 ? { html: "" } : {};
}
