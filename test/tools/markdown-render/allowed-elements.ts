import assert from "node:assert/strict";

/** Every element that the engine may write: attribute -> a pattern of its whole value, or "address". All may have an id. */
export type Elements = Record<string, Record<string, string>>;

const named = (names: string, attributes: Record<string, string> = {}): Elements =>
  Object.fromEntries(names.split(" ").map((name) => [name, attributes]));

/** Where raw HTML is removed. */
export const STRIPPED_ELEMENTS: Elements = {
  ...named("h1 h2 h3 h4 h5 h6 em strong del sub pre blockquote table thead tbody tr br hr"),
  a: {
    href: "address",
    title: ".*",
    class: "footnote-backref data-footnote-backref",
    "data-footnote-ref": "",
    "data-footnote-backref": "",
    "aria-label": "(?:Footnote|Back to reference) \\d+(?:-\\d+)?",
  },
  code: { class: "language-[^\\t\\n\\f\\r ]+" },
  div: { class: "markdown-alert markdown-alert-(?:note|tip|important|warning|caution)" },
  img: { src: "address", alt: ".*", title: ".*" },
  input: {
    type: "checkbox",
    disabled: "",
    checked: "",
    class: "task-list-item-checkbox",
    "aria-label": "(?:Completed|Incomplete) task",
  },
  li: { class: "task-list-item" },
  ol: { start: "\\d+", class: "contains-task-list" },
  p: { class: "markdown-alert-title" },
  section: { class: "footnotes", "data-footnotes": "", "aria-label": "Footnotes" },
  sup: { class: "footnote-ref" },
  td: { align: "left|center|right" },
  th: { align: "left|center|right" },
  ul: { class: "contains-task-list" },
};

const anything = (names: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, ".*"]));

/** Where safe raw HTML is kept. */
export const SAFE_ELEMENTS: Elements = {
  ...named(
    "b i em strong u s del ins mark small sub kbd samp var cite q dfn picture summary li dl dt dd blockquote br wbr hr thead tbody tfoot tr caption pre span p div h1 h2 h3 h4 h5 h6 ul table sup code section",
    anything("align dir class"),
  ),
  a: {
    ...anything(
      "title rel target class data-footnote-ref data-footnote-backref aria-label aria-describedby",
    ),
    href: "address",
  },
  section: anything("class data-footnotes aria-label"),
  abbr: anything("title"),
  img: { ...anything("alt title width height align"), src: "address" },
  source: anything("srcset media type"),
  details: anything("open"),
  ol: anything("start dir"),
  input: anything("type checked disabled class aria-label"),
  th: anything("align width height colspan rowspan"),
  td: anything("align width height colspan rowspan"),
};

/** Schemes that cannot run anything, and addresses within the site. */
const ADDRESS = /^(?:(?:https?|mailto|tel|xmpp|ftp|ircs?):|(?![a-z][a-z0-9+.-]*:))/i;

type Judged = {
  readonly localName: string;
  readonly attributes: Iterable<{ name: string; value: string }>;
};

/** Throws for an element, attribute or value that is not allowed, and for two elements with one id. */
export function judgeElements(elements: Iterable<unknown>, allowed: Elements): void {
  const ids = new Set<string>();
  for (const { localName, attributes } of elements as Iterable<Judged>) {
    assert.ok(Object.hasOwn(allowed, localName), localName);
    const patterns = allowed[localName] ?? {};
    for (const { name, value } of attributes) {
      if (name === "id") {
        assert.match(value, /^user-content-\S+$/);
        assert.ok(!ids.has(value), `two elements have the id ${value}`);
        ids.add(value);
        continue;
      }
      assert.ok(Object.hasOwn(patterns, name), `${localName} ${name}`);
      const pattern = patterns[name];
      const whole = pattern === "address" ? ADDRESS : new RegExp(`^(?:${pattern})$`, "su");
      assert.match(value, whole, `${localName} ${name}`);
    }
  }
}
