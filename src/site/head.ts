import { hasOwnName } from "#brand.ts";
import { accentCss, accentOf } from "./accent.ts";
import { type Html, html } from "./markup.ts";
import { basePath } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";
import { fontFaces, type SiteFiles } from "./site-files.ts";
import { DARK, LIGHT } from "./tokens.ts";

/** What the head of a page says to search engines, to programs that show a link to it, and to the browser's own interface. */
export type PageHead = {
  /** The path of the page; null: search engines must not list it. */
  path: string | null;
  /** As in the tab of the browser. */
  title: string;
  description: string;
};

/** The head of every page, without its styles and scripts. */
export function renderMeta({ path, title, description }: PageHead, site: HeadOptions): Html {
  const base = basePath(site.publicUrl);
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${LIGHT.bg}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${DARK.bg}">
<title>${title}</title>
<meta name="description" content="${description}">
${path === null ? html`<meta name="robots" content="noindex">\n` : renderCard(title, description, path, site)}<link rel="icon" href="${base}/favicon.ico" sizes="32x32">
<link rel="icon" href="${base}/icon.svg" type="${iconTypeOf(site)}">
<link rel="manifest" href="${base}/manifest.webmanifest">
${site.files && !hasOwnName(site) && html`<link rel="apple-touch-icon" href="${base}/${site.files["touch-icon.png"]}">\n`}`;
}

export type HeadOptions = Pick<PageOptions, "publicUrl" | "name" | "look"> & {
  files: SiteFiles | null;
};

/** The type of `/icon.svg`, which may be a PNG. */
const iconTypeOf = ({ look }: HeadOptions): string => look?.logo?.type ?? "image/svg+xml";

/** The Open Graph properties (https://ogp.me), and the size of the image that Twitter and others show above them. */
function renderCard(title: string, description: string, path: string, site: HeadOptions): Html {
  const { publicUrl, files } = site;
  const url = `${publicUrl}${path}`;
  return html`<link rel="canonical" href="${url}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${site.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
${
  files &&
  !hasOwnName(site) &&
  html`<meta property="og:image" content="${publicUrl}/${files["share.png"]}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${site.name}: small tools, one request away">
<meta name="twitter:card" content="summary_large_image">
`
}`;
}

/**
 * Fetches fonts before the styles that name them are read. On a slow connection each delays the scripts by 0.1 s, so a page whose
 * code comes late leaves the one for code to the styles, which fetch it when there is some.
 */
export function preloadFonts(
  site: Pick<HeadOptions, "publicUrl" | "files">,
  names: readonly ("sans.woff2" | "mono.woff2")[],
): Html | null {
  const { publicUrl, files } = site;
  if (files === null) return null;
  return html`${names.map(
    (name) =>
      html`<link rel="preload" as="font" type="font/woff2" crossorigin href="${basePath(publicUrl)}/${files[name]}" fetchpriority="high">\n`,
  )}`;
}

/** The styles that differ between services: the typefaces, whose paths a build gives, and the colour of the operator. */
export function serviceStyle({ publicUrl, files, look }: HeadOptions): string {
  const fonts = files === null ? "" : fontFaces(files, basePath(publicUrl));
  return look?.accent ? fonts + accentCss(accentOf(look.accent)) : fonts;
}

/** The web app manifest (https://www.w3.org/TR/appmanifest), for a home screen. */
export function webManifest(site: HeadOptions): string {
  const { publicUrl, name } = site;
  // The images have our logo.
  const files = hasOwnName(site) ? null : site.files;
  const base = basePath(publicUrl);
  const image = (file: keyof SiteFiles, sizes: string, purpose: string) =>
    files ? [{ src: `${base}/${files[file]}`, type: "image/png", sizes, purpose }] : [];
  return JSON.stringify({
    id: `${base}/`,
    name,
    short_name: name,
    description: "Tools over HTTP, paid per call with credits.",
    start_url: `${base}/`,
    scope: `${base}/`,
    display: "browser",
    background_color: LIGHT.bg,
    theme_color: LIGHT.bg,
    icons: [
      { src: `${base}/icon.svg`, type: iconTypeOf(site), sizes: "any", purpose: "any" },
      ...image("icon-192.png", "192x192", "any"),
      ...image("icon-512.png", "512x512", "any"),
      ...image("icon-maskable.png", "512x512", "maskable"),
    ],
  });
}
