/**
 * One layout for every letter: a heading, paragraphs, one link, some facts, and why it was sent, as text and as HTML.
 * The HTML has no tables, images, scripts or anything that is fetched; it follows the reader's dark mode; everything
 * in it is escaped here and nowhere else.
 */
import type { Email, EmailKind } from "./mail.ts";

export type Block =
  | string
  /** What is to be done: a button in HTML, an address on a line of its own in text. */
  | { link: string; label: string }
  | { facts: readonly (readonly [name: string, value: string])[] };

export type EmailDraft = {
  to: string;
  kind: EmailKind;
  subject: string;
  heading: string;
  blocks: readonly Block[];
  /** Why the reader gets this, and whether it can be ignored. */
  why: string;
  /** When its link or what it says ends; left out: never. */
  usefulUntil?: number;
  /** For letters that nobody has to get: the page on which a person ends them, and where a mail program does. */
  unsubscribe?: { page: string; post: string };
};

export function layOut(draft: EmailDraft, site: string): Email {
  for (const block of draft.blocks) if (typeof block === "object" && "link" in block) check(block);
  const { to, kind, subject, usefulUntil = null, unsubscribe } = draft;
  const email = { to, kind, subject, usefulUntil };
  const bodies = { text: layOutText(draft, site), html: page(draft, site) };
  if (unsubscribe === undefined) return { ...email, ...bodies };
  for (const link of Object.values(unsubscribe)) check({ link });
  return { ...email, ...bodies, unsubscribe: unsubscribe.post };
}

/** Links are made by the service: one that is none is a fault of ours, not of the person's. */
function check({ link }: { link: string }): void {
  if (!/^https?:\/\/[^\s<>"\\]+$/.test(link)) throw new TypeError("A letter needs an http address");
}

const UNSUBSCRIBE = "To get no more letters of this sort:";

function layOutText({ heading, blocks, why, unsubscribe }: EmailDraft, site: string): string {
  const end = unsubscribe === undefined ? "" : `${UNSUBSCRIBE}\n${unsubscribe.page}\n`;
  return [heading, ...blocks.map(textOf), `-- \n${why}\n${end}Toolbooth, ${site}`]
    .join("\n\n")
    .concat("\n");
}

function textOf(block: Block): string {
  if (typeof block === "string") return block;
  if ("link" in block) return `${block.label}:\n${block.link}`;
  return block.facts.map(([name, value]) => `${name}: ${value}`).join("\n");
}

const SANS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

/** Inline for the readers that drop style sheets; what changes in the dark has a class as well. */
const STYLE = {
  body: `margin:0;padding:24px 16px;background:#fdfdfb;color:#1c2126;font:16px/1.6 ${SANS}`,
  main: "max-width:560px;margin:0 auto",
  brand: "margin:0 0 24px;font-weight:650;color:#0a5f58",
  heading: "margin:0 0 16px;font-size:24px;line-height:1.25",
  text: "margin:0 0 16px",
  button:
    "display:inline-block;padding:12px 20px;border-radius:8px;background:#0a5f58;color:#ffffff;font-weight:600;text-decoration:none",
  soft: "margin:0 0 16px;font-size:14px;color:#59626c;overflow-wrap:anywhere;word-break:break-word",
  address: "color:#0a5f58",
  name: "margin:0;font-size:14px;color:#59626c",
  value: "margin:0 0 12px;overflow-wrap:anywhere;word-break:break-word",
  foot: "margin:32px 0 0;padding:16px 0 0;border-top:1px solid #e3e3dc",
} as const;

const DARK = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.body{background:#13171a!important;color:#e2e6e8!important}
.accent{color:#63cdbb!important}.soft{color:#9ba6ae!important}.foot{border-color:#2a3136!important}
.button{background:#63cdbb!important;color:#10211f!important}}`;

function page(draft: EmailDraft, site: string): string {
  const { heading, blocks, why, subject, unsubscribe } = draft;
  const end =
    unsubscribe === undefined
      ? ""
      : `<p class="soft" style="${STYLE.soft}">${UNSUBSCRIBE}<br>${anchor(unsubscribe.page)}</p>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${DARK}</style>
</head>
<body class="body" style="${STYLE.body}">
<div role="article" style="${STYLE.main}">
<p class="accent" style="${STYLE.brand}">Toolbooth</p>
<h1 style="${STYLE.heading}">${escapeHtml(heading)}</h1>
${blocks.map(htmlOf).join("\n")}
<div class="foot" style="${STYLE.foot}">
<p class="soft" style="${STYLE.soft}">${escapeHtml(why)}</p>
${end}<p class="soft" style="${STYLE.soft}">Toolbooth, ${anchor(site)}</p>
</div>
</div>
</body>
</html>
`;
}

const anchor = (address: string) =>
  `<a class="accent" style="${STYLE.address}" href="${escapeHtml(address)}">${escapeHtml(address)}</a>`;

function htmlOf(block: Block): string {
  if (typeof block === "string") return `<p style="${STYLE.text}">${escapeHtml(block)}</p>`;
  if ("link" in block) {
    const href = escapeHtml(block.link);
    return `<p style="${STYLE.text}"><a class="button" style="${STYLE.button}" href="${href}">${escapeHtml(block.label)}</a></p>
<p class="soft" style="${STYLE.soft}">If the button does nothing, open this address:<br>${anchor(block.link)}</p>`;
  }
  // `bdi`: a value written from right to left leaves what is beside it alone.
  const rows = block.facts.map(
    ([name, value]) =>
      `<dt class="soft" style="${STYLE.name}">${escapeHtml(name)}</dt>
<dd style="${STYLE.value}"><bdi>${escapeHtml(value)}</bdi></dd>`,
  );
  return `<dl style="${STYLE.text}">\n${rows.join("\n")}\n</dl>`;
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
