/**
 * What the inline phase found: a list of edits to the text of a paragraph, in the order of their places. Text
 * between edits stands as it is, so plain prose makes no edits at all, and what turned out to be no markup is left.
 */
export type EditKind =
  /** Nothing to do: a bracket or a run of delimiters that is text after all. */
  | "keep"
  /** The range goes: a backslash, an HTML tag, the brackets of a refused link. */
  | "drop"
  /** One of `& < > "`, text that HTML must escape. */
  | "escape"
  /** The range becomes `value` as text: a character reference. */
  | "text"
  /** The range becomes a code span with the content `value`. */
  | "code"
  /** A hard line break. */
  | "break"
  /** A run of `*`, `_` or `~` that closes `closes` with its first characters and opens `opens` with its last. */
  | "run"
  /** The range from `[` on: a link opens. `value` is its address, `title` its title. */
  | "link"
  /** The range from `]` on: a link ends. `value` is its address. */
  | "link end"
  /** As for links. What stands between is the description. */
  | "image"
  | "image end"
  /** The range becomes a link to `title` with the text `value`. */
  | "autolink"
  /** An address without brackets may begin here: it is a link unless it turns out to be within one. */
  | "candidate"
  /** A reference to the footnote with the label `value`. */
  | "footnote";

/** One emphasis of a run: `e` em, `s` strong, `d` and `D` a deletion with one and with two tildes. */
export type Emphasis = "e" | "s" | "d" | "D";

/** How many characters of a run each emphasis takes. */
export const EMPHASIS_CHARS: Record<string, number> = { e: 1, s: 2, d: 1, D: 2 };

export class Edit {
  kind: EditKind;
  start: number;
  end: number;
  value: string;
  title: string | undefined = undefined;
  /** Emphases that a run closes, and those that it opens, in the order in which their tags are written. */
  closes = "";
  opens = "";

  constructor(kind: EditKind, start: number, end: number, value = "") {
    this.kind = kind;
    this.start = start;
    this.end = end;
    this.value = value;
  }
}

/** What an edit of `s` leaves in the description of an image, which is text only. */
export function describe(s: string, { kind, start, end, value }: Edit): string {
  if (kind === "break") return "\n";
  if (kind === "footnote") return s.slice(start, end);
  return kind === "text" || kind === "code" || kind === "autolink" ? value : "";
}
