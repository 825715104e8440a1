/**
 * The layout of every email, as text and as HTML: a heading, paragraphs, one link, some facts and the reason for the
 * email. The HTML has no tables, images or scripts, fetches nothing, and follows the reader's dark mode. All text is
 * escaped here and only here.
 */
import { inNameOf } from "#brand.ts";
import { contactHref } from "#top-up.ts";
import type { Email, EmailKind } from "./mail.ts";

export type Block =
  | string
  /** The main action: a button in HTML, a URL on its own line in text. */
  | { link: string; label: string }
  | { facts: readonly (readonly [name: string, value: string])[] };

export type EmailDraft = {
  to: string;
  kind: EmailKind;
  subject: string;
  heading: string;
  blocks: readonly Block[];
  /** Why the recipient got this email, and whether they can ignore it. */
  why: string;
  /** When its link expires or its content becomes outdated; omitted: never. */
  usefulUntil?: number;
  /** For optional emails: the page on which a user unsubscribes, and the URL to which a mail program posts. */
  unsubscribe?: { page: string; post: string };
};

/** Whose emails these are. */
export type EmailSender = {
  /** Without a slash at its end. */
  publicUrl: string;
  /** The name of the service. */
  name: string;
  /** The operator's colour as it can be read on light and on dark; null or left out: ours. */
  accent?: Readonly<Record<"light" | "dark", { accent: string }>> | null;
  /** An email address or a URL of the operator. */
  contact?: string | null;
};

/** Lays out an email. Throws a TypeError if a link is not an http or https URL. */
export function layOut(written: EmailDraft, sender: EmailSender): Email {
  const draft = named(written, sender.name);
  const { to, kind, subject, blocks, usefulUntil = null, unsubscribe } = draft;
  for (const block of blocks) {
    if (typeof block === "object" && "link" in block) assertHttpUrl(block.link);
  }
  const email: Email = {
    to,
    kind,
    subject,
    usefulUntil,
    text: layOutText(draft, sender),
    html: layOutHtml(draft, sender),
  };
  if (unsubscribe === undefined) return email;
  assertHttpUrl(unsubscribe.page);
  assertHttpUrl(unsubscribe.post);
  return { ...email, unsubscribe: unsubscribe.post };
}

/** The draft of the service with this name. Facts stay: they are the reader's. */
function named(draft: EmailDraft, name: string): EmailDraft {
  const inName = (text: string) => inNameOf({ name }, text);
  return {
    ...draft,
    subject: inName(draft.subject),
    heading: inName(draft.heading),
    blocks: draft.blocks.map((block) => (typeof block === "string" ? inName(block) : block)),
    why: inName(draft.why),
  };
}

/** The service generates every link, so an invalid one is a bug. */
function assertHttpUrl(link: string): void {
  if (!/^https?:\/\/[^\s<>"\\]+$/.test(link)) {
    throw new TypeError("A link in an email must be an http or https URL");
  }
}

const UNSUBSCRIBE = "Unsubscribe from these emails:";

function layOutText(
  { heading, blocks, why, unsubscribe }: EmailDraft,
  { name, publicUrl, contact }: EmailSender,
): string {
  const sender = [`${name}, ${publicUrl}`, ...(contact ? [`Contact: ${contact}`] : [])].join("\n");
  const optOut = unsubscribe === undefined ? "" : `${UNSUBSCRIBE}\n${unsubscribe.page}\n`;
  return [heading, ...blocks.map(textOf), `-- \n${why}\n${optOut}${sender}`]
    .join("\n\n")
    .concat("\n");
}

function textOf(block: Block): string {
  if (typeof block === "string") return block;
  if ("link" in block) return `${block.label}:\n${block.link}`;
  return block.facts.map(([name, value]) => `${name}: ${value}`).join("\n");
}

const SANS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

const OURS = { light: { accent: "#0a5f58" }, dark: { accent: "#63cdbb" } };

/** Inline styles, because some mail programs drop style sheets. Elements that change in dark mode also have a class. */
const STYLE = {
  body: `margin:0;padding:24px 16px;background:#fdfdfb;color:#1c2126;font:16px/1.6 ${SANS}`,
  main: "max-width:560px;margin:0 auto",
  brand: "margin:0 0 24px;font-weight:650",
  heading: "margin:0 0 16px;font-size:24px;line-height:1.25",
  text: "margin:0 0 16px",
  button:
    "display:inline-block;padding:12px 20px;border-radius:8px;color:#ffffff;font-weight:600;text-decoration:none",
  soft: "margin:0 0 16px;font-size:14px;color:#59626c;overflow-wrap:anywhere;word-break:break-word",
  name: "margin:0;font-size:14px;color:#59626c",
  value: "margin:0 0 12px;overflow-wrap:anywhere;word-break:break-word",
  foot: "margin:32px 0 0;padding:16px 0 0;border-top:1px solid #e3e3dc",
} as const;

const darkStyle = (
  accent: string,
) => `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.body{background:#13171a!important;color:#e2e6e8!important}
.accent{color:${accent}!important}.soft{color:#9ba6ae!important}.foot{border-color:#2a3136!important}
.button{background:${accent}!important;color:#0d1917!important}}`;

function layOutHtml(draft: EmailDraft, sender: EmailSender): string {
  const { heading, blocks, why, subject, unsubscribe } = draft;
  const { publicUrl, name, contact } = sender;
  const { light, dark } = sender.accent ?? OURS;
  const anchor = (href: string, shown = href) =>
    `<a class="accent" style="color:${light.accent}" href="${escapeHtml(href)}">${escapeHtml(shown)}</a>`;
  const htmlOf = (block: Block): string => {
    if (typeof block === "string") return `<p style="${STYLE.text}">${escapeHtml(block)}</p>`;
    if ("facts" in block) return factsHtml(block.facts);
    return `<p style="${STYLE.text}"><a class="button" style="background:${light.accent};${STYLE.button}" href="${escapeHtml(block.link)}">${escapeHtml(block.label)}</a></p>
<p class="soft" style="${STYLE.soft}">If the button does not work, open this link:<br>${anchor(block.link)}</p>`;
  };
  const optOut =
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
<style>${darkStyle(dark.accent)}</style>
</head>
<body class="body" style="${STYLE.body}">
<div role="article" style="${STYLE.main}">
<p class="accent" style="color:${light.accent};${STYLE.brand}">${escapeHtml(name)}</p>
<h1 style="${STYLE.heading}">${escapeHtml(heading)}</h1>
${blocks.map(htmlOf).join("\n")}
<div class="foot" style="${STYLE.foot}">
<p class="soft" style="${STYLE.soft}">${escapeHtml(why)}</p>
${optOut}<p class="soft" style="${STYLE.soft}">${escapeHtml(name)}, ${anchor(publicUrl)}${contact ? `<br>Contact: ${anchor(contactHref(contact), contact)}` : ""}</p>
</div>
</div>
</body>
</html>
`;
}

function factsHtml(facts: readonly (readonly [name: string, value: string])[]): string {
  // `bdi` keeps a right-to-left value from reordering the text beside it.
  const rows = facts.map(
    ([name, value]) =>
      `<dt class="soft" style="${STYLE.name}">${escapeHtml(name)}</dt>
<dd style="${STYLE.value}"><bdi>${escapeHtml(value)}</bdi></dd>`,
  );
  return `<dl style="${STYLE.text}">\n${rows.join("\n")}\n</dl>`;
}

/** Formats a time for readers, with its zone: `November 21, 2026 at 14:05 UTC`. A format that is kept would take 20 ms of every start. */
export const formatTime = (at: number): string => {
  const time = new Date(at);
  const date = time.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
  return `${date} at ${time.toISOString().slice(11, 16)} UTC`;
};

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
