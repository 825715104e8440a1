/**
 * The layout of every email, as text and as HTML: a heading, paragraphs, one link, some facts and the reason for the
 * email. The HTML has no tables, images or scripts, fetches nothing, and follows the reader's dark mode. All text is
 * escaped here and only here.
 */
import { inNameOf, TOOLBOOTH } from "#brand.ts";
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

/**
 * Lays out an email. `site`: the public URL of the service; `name`: its name, in place of ours. Throws a TypeError if a link is not an http or https URL.
 */
export function layOut(written: EmailDraft, site: string, name = TOOLBOOTH.name): Email {
  const draft = named(written, name);
  const { to, kind, subject, blocks, usefulUntil = null, unsubscribe } = draft;
  for (const block of blocks) {
    if (typeof block === "object" && "link" in block) assertHttpUrl(block.link);
  }
  const email: Email = {
    to,
    kind,
    subject,
    usefulUntil,
    text: layOutText(draft, `${name}, ${site}`),
    html: layOutHtml(draft, site, name),
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

function layOutText({ heading, blocks, why, unsubscribe }: EmailDraft, sender: string): string {
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

/** Inline styles, because some mail programs drop style sheets. Elements that change in dark mode also have a class. */
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

function layOutHtml(draft: EmailDraft, site: string, name: string): string {
  const { heading, blocks, why, subject, unsubscribe } = draft;
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
<style>${DARK}</style>
</head>
<body class="body" style="${STYLE.body}">
<div role="article" style="${STYLE.main}">
<p class="accent" style="${STYLE.brand}">${escapeHtml(name)}</p>
<h1 style="${STYLE.heading}">${escapeHtml(heading)}</h1>
${blocks.map(htmlOf).join("\n")}
<div class="foot" style="${STYLE.foot}">
<p class="soft" style="${STYLE.soft}">${escapeHtml(why)}</p>
${optOut}<p class="soft" style="${STYLE.soft}">${escapeHtml(name)}, ${anchor(site)}</p>
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
<p class="soft" style="${STYLE.soft}">If the button does not work, open this link:<br>${anchor(block.link)}</p>`;
  }
  // `bdi` keeps a right-to-left value from reordering the text beside it.
  const rows = block.facts.map(
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
