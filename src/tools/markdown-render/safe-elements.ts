import { cleanAddress } from "./address.ts";
import { resolveReferences } from "./entities.ts";
import { escapeHtml } from "./escape-html.ts";
import { ID_PREFIX } from "./html-parts.ts";
import { attributesOf, tagName } from "./raw-html.ts";

/**
 * The elements of raw HTML that `html: "safe"` keeps. Nothing of a tag is copied: its name is looked up here, each attribute is
 * judged, and the tag is written anew.
 */

/**
 * - `void`: has no content and no closing tag.
 * - `inline`: stands within a paragraph, and closes in it.
 * - `leaf`: is a paragraph of its own, such as a heading, and contains inline elements.
 * - `block`: contains blocks, also those of Markdown, and closes with the container around it at the latest.
 */
type Kind = "void" | "inline" | "leaf" | "block";

export type SafeElement = {
  name: string;
  kind: Kind;
  /** The names of its attributes besides `id`. */
  attributes: readonly string[];
  /** The elements in which alone it may stand directly. */
  parents: readonly string[];
  /** The only elements that may stand in it directly; undefined: any. */
  children: readonly string[] | undefined;
};

const ELEMENTS = new Map<string, SafeElement>();

function define(kind: Kind, names: string, attributes = "", parents = "", children = ""): void {
  for (const name of names.split(" ")) {
    ELEMENTS.set(name, {
      name,
      kind,
      attributes: attributes.split(" "),
      parents: parents === "" ? [] : parents.split(" "),
      children: children === "" ? undefined : children.split(" "),
    });
  }
}

define("void", "br wbr");
define("void", "img", "src alt title width height align");
define("void", "source", "srcset media type", "picture");
define(
  "inline",
  "b i em strong u s del ins mark small sub sup kbd code samp var cite q dfn picture",
);
define("inline", "abbr", "title");
define("inline", "a span", "href title");
define("leaf", "p h1 h2 h3 h4 h5 h6", "align dir");
define("block", "caption", "align", "table");
define("block", "div", "align dir");
define("block", "blockquote");
define("block", "details", "open");
define("block", "summary", "", "details");
define("block", "ul", "dir", "", "li");
define("block", "ol", "start dir", "", "li");
define("block", "li", "", "ul ol");
define("block", "dl", "", "", "dt dd");
define("block", "dt dd", "", "dl");
define("block", "table", "align", "", "caption thead tbody tfoot");
define("block", "thead tbody tfoot", "", "table", "tr");
define("block", "tr", "align", "thead tbody tfoot", "th td");
define("block", "th td", "align width height colspan rowspan", "tr");

/** Elements that become another one. */
const ALIASES: Record<string, string> = { center: "div", strike: "s", tt: "code" };

/** An anchor is written without content at once. Its closing tag then has no partner. */
export const isAnchor = ({ element: { name }, isClosing, href }: Tag) =>
  !isClosing && (name === "span" || (name === "a" && href === undefined));

/** Whether the content of the element starts on a line of its own. */
export const isDivision = ({ name }: SafeElement) => /^(?:div|details|blockquote)$/.test(name);

export const safeElement = (name: string): SafeElement | undefined => ELEMENTS.get(name);

/** A tag that is kept, with what it is written from. */
export type Tag = {
  element: SafeElement;
  isClosing: boolean;
  /** Without the prefix; "" for none. */
  id: string;
  /** The address of a link; undefined for anything else. */
  href: string | undefined;
  /** The other attributes, as they are written. */
  attributes: string;
  /** The description of an image. */
  alt: string;
};

/** Makes an address absolute; undefined where it is not allowed. */
export type Resolve = (address: string) => string | undefined;

/** Reads the tag from `pos`, the place of `<`, to `end`. Undefined for one that is not kept. */
export function readSafeTag(
  s: string,
  pos: number,
  end: number,
  resolve: Resolve,
): Tag | undefined {
  const isClosing = s.charCodeAt(pos + 1) === SLASH;
  const nameStart = isClosing ? pos + 2 : pos + 1;
  const name = tagName(s, nameStart, end).toLowerCase();
  const source = isClosing ? "" : s.slice(nameStart + name.length, end - 1);
  return safeTag(name, isClosing, source, resolve);
}

const SLASH = 47;

/** The tag with the attributes that `source` gives it. */
export function safeTag(
  name: string,
  isClosing: boolean,
  source: string,
  resolve: Resolve,
): Tag | undefined {
  const tag = (isClosing ? CLOSING_TAGS : OPENING_TAGS).get(ALIASES[name] ?? name);
  if (tag === undefined || isClosing) return tag;
  return source === "" && name !== "center"
    ? usefulTag(tag)
    : withAttributes(name, tag, source, resolve);
}

const bareTag = (element: SafeElement, isClosing: boolean): Tag => ({
  element,
  isClosing,
  id: "",
  href: undefined,
  attributes: "",
  alt: "",
});

/** Tags without attributes are shared: a megabyte can have 300,000. */
export const OPENING_TAGS = new Map(
  [...ELEMENTS].map(([name, element]) => [name, bareTag(element, false)]),
);
const CLOSING_TAGS = new Map(
  [...ELEMENTS]
    .filter(([, { kind }]) => kind !== "void")
    .map(([name, element]) => [name, bareTag(element, true)]),
);

function withAttributes(
  name: string,
  bare: Tag,
  source: string,
  resolve: Resolve,
): Tag | undefined {
  const { element } = bare;
  const tag = { ...bare };
  const values = new Map<string, string>();
  for (const [attribute, value] of attributesOf(source)) {
    if (!values.has(attribute)) values.set(attribute, resolveReferences(value));
  }
  if (name === "center") values.set("align", "center");
  tag.id = idOf(values.get("id") ?? (name === "a" ? values.get("name") : undefined));
  for (const attribute of element.attributes) {
    const value = values.get(attribute);
    if (value !== undefined) setAttribute(tag, attribute, value, resolve);
  }
  return usefulTag(tag);
}

/** An image or a source without an address shows nothing, and an anchor without an id leads nowhere. */
function usefulTag(tag: Tag): Tag | undefined {
  const { attributes, href, id } = tag;
  switch (tag.element.name) {
    case "img":
      return attributes.includes(' src="') ? tag : undefined;
    case "source":
      return attributes.includes(' srcset="') ? tag : undefined;
    case "a":
    case "span":
      return href !== undefined || id !== "" ? tag : undefined;
    default:
      return tag;
  }
}

/** The prefix is added when the id is written. */
export function idOf(value = ""): string {
  const id = value.startsWith(ID_PREFIX) ? value.slice(ID_PREFIX.length) : value;
  return /^[^\s\p{Cc}]{1,256}$/u.test(id) ? id : "";
}

function setAttribute(tag: Tag, name: string, value: string, resolve: Resolve): void {
  if (name === "href") {
    const address = cleanAddress(value.trim());
    if (tag.element.name === "a" && address !== undefined) tag.href = resolve(address);
    return;
  }
  if (name === "alt") tag.alt = value;
  const judged = JUDGES[name]?.(value, resolve);
  if (judged !== undefined) tag.attributes += ` ${name}="${escapeHtml(judged)}"`;
}

type Judge = (value: string, resolve: Resolve) => string | undefined;

const oneOf = (pattern: RegExp) => (value: string) => pattern.exec(value.trim().toLowerCase())?.[1];
/** Browsers read the digits alone. Many READMEs have `100px;`, because all-contributors writes it. */
const size = oneOf(/^(\d{1,5})(?:\.\d{1,9})?(?:px)?;?$/);

/** The value that is written for an attribute; undefined where it is left out. */
const JUDGES: Record<string, Judge> = {
  src: (value, resolve) => {
    const address = cleanAddress(value.trim());
    return address === undefined || address === "" ? undefined : resolve(address);
  },
  srcset: judgeSrcset,
  alt: (value) => value,
  title: (value) => value,
  width: size,
  height: size,
  align: oneOf(/^(left|center|right|top|middle|bottom)$/),
  dir: oneOf(/^(ltr|rtl|auto)$/),
  open: () => "",
  start: oneOf(/^(\d{1,9})$/),
  colspan: oneOf(/^([1-9]\d{0,2})$/),
  rowspan: oneOf(/^([1-9]\d{0,2})$/),
  media: oneOf(/^([\w\s():,.-]{1,200})$/),
  type: oneOf(/^(image\/[\w.+-]{1,50})$/),
};

/** HTML, section 4.8.4.2.1: each candidate is an address and perhaps a width or density. Commas end it, but for those within. */
const CANDIDATE = /([^\s,](?:\S*[^\s,])?)(?:,+(?=\s|$)|\s+([^,]*)|,*$)/g;
const DESCRIPTOR = /^(?:\d{1,5}w|\d{1,3}(?:\.\d{1,3})?x)?$/;

function judgeSrcset(value: string, resolve: Resolve): string | undefined {
  const candidates: string[] = [];
  for (const [, url = "", rest = ""] of value.matchAll(CANDIDATE)) {
    const address = cleanAddress(url);
    const resolved = address === undefined ? undefined : resolve(address);
    const descriptor = rest.trim();
    if (resolved === undefined || !DESCRIPTOR.test(descriptor)) continue;
    candidates.push(descriptor === "" ? resolved : `${resolved} ${descriptor}`);
  }
  return candidates.length === 0 ? undefined : candidates.join(", ");
}
