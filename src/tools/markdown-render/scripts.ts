import { SCRIPT_NESTING_MAX } from "./bounds.ts";
import { isIn, NEWLINE, WHITE } from "./characters.ts";
import {
  BREAK,
  CANDIDATE,
  CLOSING,
  DROP,
  describe,
  EditList,
  FOOTNOTE,
  IMAGE,
  IMAGE_END,
  KEEP,
  LINK,
  LINK_END,
  markChars,
  RUN,
  SCRIPT,
  SCRIPT_END,
} from "./edits.ts";

/**
 * Superscripts and subscripts of raw HTML: `sup` and `sub` stay, because 2<sup>64</sup> must not become another number. In
 * plain text they are written as `2^64` and `H_2O`, and with parentheses where their end would not be clear.
 */
type Name = "sup" | "sub";

/** The name of the tag whose name starts at `pos`, if it is one of the two. */
export function scriptName(s: string, pos: number): Name | undefined {
  if ((s.charCodeAt(pos) | 32) !== 115 || (s.charCodeAt(pos + 1) | 32) !== 117) return undefined;
  const last = s.charCodeAt(pos + 2) | 32;
  const behind = s.charCodeAt(pos + 3);
  if ((last !== 112 && last !== 98) || !(isIn(behind, WHITE) || behind === 62)) return undefined;
  return last === 112 ? "sup" : "sub";
}

type Script = {
  name: Name;
  /** The edit of its start. */
  edit: number;
  /** How many links and marks of emphasis were open at its start. */
  depth: number;
  /** Its closing tag was read, but emphasis or a link that began in it has not ended. */
  isHeld: boolean;
  isBehindWhite: boolean;
  /** Its text, as far as it matters. */
  content: string;
};

const CONTENT_CHARS_MAX = 32;
/** A number, a word, a sign or something in brackets: its end is clear if the text behind it is of another kind. */
const NUMBER = /^[+\-\u2212]?\d+$/;
const TOKEN = /^(?:[+\-\u2212]?\d+|\p{L}+|[^\s\p{L}\p{N}^_()]|\[[^[\]\s]*\])$/u;
const CONTINUES_NUMBER = /^(?:\p{N}|[.,]\d)/u;
const CONTINUES_WORD = /^[\p{L}\p{N}]/u;

/**
 * Makes the tags of one paragraph nest with its emphasis and links. An element ends with its closing tag, once everything
 * that began in it has ended, and at the latest with the emphasis, link or paragraph in which it began. A closing tag
 * without an element and an element without text are dropped.
 */
export class ScriptNester {
  private readonly s: string;
  private readonly edits: EditList;
  private readonly open: Script[] = [];
  /** Elements that have ended, and what follows them is not known yet. */
  private readonly ended: (Script & { end: number })[] = [];
  private depth = 0;
  /** The number of elements beyond the bound that have not been closed, by name. */
  private readonly beyond = { sup: 0, sub: 0 };
  private lastIsWhite = true;

  constructor(s: string, edits: EditList) {
    this.s = s;
    this.edits = edits;
  }

  nest(from: number, to: number): void {
    const { s, edits } = this;
    const old = edits.take();
    let pos = from;
    for (let i = 0; i < old.count; i++) {
      const kind = old.kind(i);
      const start = old.start(i);
      const end = old.end(i);
      if (kind === KEEP || kind === CANDIDATE) continue;
      this.read(s.slice(pos, start));
      pos = end;
      if (kind === RUN) this.readRun(start, end);
      else if (kind === SCRIPT) this.begin(old.value(i) as Name, start, end);
      else if (kind === SCRIPT_END) this.end(old.value(i) as Name, start, end);
      else {
        if (kind === LINK_END || kind === IMAGE_END) this.leave(start);
        const copy = edits.addNumber(kind, start, end, old.number(i));
        if (kind === LINK || kind === IMAGE) this.depth++;
        else if (kind === LINK_END || kind === IMAGE_END) this.depth--;
        else if (kind === FOOTNOTE) this.read("[]");
        else this.read(describe(edits, copy));
        this.endHeld(end);
      }
    }
    this.read(s.slice(pos, to));
    while (this.open.length > 0) this.endLast(to, to);
    this.settle("");
  }

  private readRun(start: number, end: number): void {
    for (let at = start; at < end; ) {
      const mark = this.edits.markAt(at);
      if (mark === 0) {
        this.read(this.s.charAt(at++));
        continue;
      }
      const next = at + markChars(mark);
      if (mark > CLOSING) this.leave(at);
      this.edits.add(RUN, at, next);
      this.depth += mark > CLOSING ? -1 : 1;
      this.endHeld(next);
      at = next;
    }
  }

  /** Text that is shown. */
  private read(text: string): void {
    if (text === "") return;
    this.settle(text);
    this.lastIsWhite = text.trimEnd().length < text.length;
    const script = this.open.at(-1);
    if (script !== undefined && script.content.length <= CONTENT_CHARS_MAX) {
      script.content += text.slice(0, CONTENT_CHARS_MAX + 1);
    }
  }

  private begin(name: Name, start: number, end: number): void {
    if (this.open.length >= SCRIPT_NESTING_MAX) {
      this.beyond[name]++;
      this.edits.add(DROP, start, end);
      return;
    }
    this.settle(MARKS[name]);
    const edit = this.edits.addText(SCRIPT, start, end, name);
    this.open.push({
      name,
      edit,
      depth: this.depth,
      isHeld: false,
      isBehindWhite: this.lastIsWhite,
      content: "",
    });
  }

  private end(name: Name, start: number, end: number): void {
    const index = this.open.findLastIndex((each) => each.name === name && !each.isHeld);
    const script = this.open[index];
    if (this.beyond[name] > 0 || script === undefined || script.depth < this.depth) {
      if (this.beyond[name] > 0) this.beyond[name]--;
      else if (script !== undefined) script.isHeld = true;
      this.edits.add(DROP, start, end);
      return;
    }
    while (this.open.length > index + 1) this.endLast(start, start);
    this.endLast(start, end);
    this.endHeld(end);
  }

  /** Ends the elements that began in the emphasis or link that ends at `pos`. */
  private leave(pos: number): void {
    while ((this.open.at(-1)?.depth ?? -1) >= this.depth) this.endLast(pos, pos);
  }

  /** Ends the elements whose closing tags came too early. */
  private endHeld(pos: number): void {
    for (
      let last = this.open.at(-1);
      last?.isHeld && last.depth === this.depth;
      last = this.open.at(-1)
    ) {
      this.endLast(pos, pos);
    }
  }

  private endLast(start: number, end: number): void {
    const script = this.open.pop() as Script;
    if (script.content.trim() === "") {
      this.edits.setKind(script.edit, DROP);
      this.edits.add(DROP, start, end);
      return;
    }
    const outer = this.open.at(-1);
    // With a script of its own, it is more than a word.
    if (outer !== undefined && outer.content.length <= CONTENT_CHARS_MAX) {
      outer.content += ` ${script.content} `;
    }
    const edit = this.edits.addText(SCRIPT_END, start, end, script.name);
    this.ended.push({ ...script, end: edit });
  }

  /** Decides how the elements that have ended are written as text: `next` follows them. */
  private settle(next: string): void {
    if (this.ended.length === 0) return;
    for (const { name, edit, end, isBehindWhite, content } of this.ended) {
      const mark = MARKS[name];
      const isApart = isBehindWhite && /^(?:\s|$)/.test(next) && !NUMBER.test(content);
      const continues = NUMBER.test(content) ? CONTINUES_NUMBER : CONTINUES_WORD;
      const isClear = TOKEN.test(content) && !continues.test(next) && !next.startsWith(mark);
      this.edits.setText(edit, SCRIPT, name, isApart ? "" : isClear ? mark : `${mark}(`);
      this.edits.setText(end, SCRIPT_END, name, isApart || isClear ? "" : ")");
    }
    this.ended.length = 0;
  }
}

const MARKS = { sup: "^", sub: "_" };

/** Stand for tags in the text of an HTML block. No document contains U+0000. */
const STAND_INS = { sup: "\0^", sub: "\0_" };
const STAND_INS_END = { sup: "\0)", sub: "\0]" };

export const standInOf = (name: Name, isClosing: boolean) =>
  (isClosing ? STAND_INS_END : STAND_INS)[name];

export const withoutStandIns = (text: string) =>
  text.includes("\0") ? text.replaceAll(/\0./g, "") : text;

/** Reads the text of an HTML block: line endings are line breaks. */
export function readHtmlText(text: string, edits: EditList): void {
  edits.clear(0);
  const hasScripts = text.includes("\0");
  for (let pos = 0; pos < text.length; pos++) {
    if (text.charCodeAt(pos) === NEWLINE) edits.add(BREAK, pos, pos + 1);
    else if (hasScripts && text.charCodeAt(pos) === 0) {
      const tag = text.charAt(pos + 1);
      const kind = tag === "^" || tag === "_" ? SCRIPT : SCRIPT_END;
      edits.addText(kind, pos, pos + 2, tag === "^" || tag === ")" ? "sup" : "sub");
    }
  }
  if (hasScripts) new ScriptNester(text, edits).nest(0, text.length);
}

/** Returns the text of an HTML block as plain text, for a block of code. */
export function plainHtmlText(text: string): string {
  if (!text.includes("\0")) return text;
  const edits = new EditList();
  readHtmlText(text, edits);
  let plain = "";
  let pos = 0;
  for (let i = 0; i < edits.count; i++) {
    plain += text.slice(pos, edits.start(i)) + describe(edits, i);
    pos = edits.end(i);
  }
  return plain + text.slice(pos);
}
