import type { SiteFileName } from "#site/site-files.ts";

const FONTS: Partial<Record<SiteFileName, string>> = {
  "sans.woff2": "figtree",
  "mono.woff2": "atkinson-hyperlegible-mono",
};

/** Where a file of every page is in the checkout: fonts come from npm; `npm run images` draws the images. */
export function siteFileSource(name: SiteFileName): string {
  const font = FONTS[name];
  return font === undefined
    ? `web/images/${name}`
    : `node_modules/@fontsource-variable/${font}/files/${font}-latin-wght-normal.woff2`;
}
