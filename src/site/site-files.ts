/** The fonts and images of every page. `npm run build` puts them among the built files, with the hash of their content in their names. */
export const SITE_FILES = [
  "sans.woff2",
  "mono.woff2",
  "share.png",
  "touch-icon.png",
  "icon-192.png",
  "icon-512.png",
  "icon-maskable.png",
] as const;

export type SiteFileName = (typeof SITE_FILES)[number];

/** Paths below the service, such as `assets/sans-1a2b3c4d.woff2`. */
export type SiteFiles = Readonly<Record<SiteFileName, string>>;

/** The name of a file in the manifest of the build. */
export const manifestKey = (name: SiteFileName): string => `site/${name}`;

/** Null where the build does not have them all. */
export function siteFilesOf(
  manifest: Readonly<Record<string, { file: string }>>,
): SiteFiles | null {
  const found = SITE_FILES.map((name) => [name, manifest[manifestKey(name)]?.file] as const);
  return found.every(([, file]) => file !== undefined)
    ? (Object.fromEntries(found) as SiteFiles)
    : null;
}

/**
 * The typefaces: Figtree, and Atkinson Hyperlegible Mono for code and keys, where no character can be taken for another one (both
 * under the SIL Open Font License 1.1, the Latin subsets of Fontsource). `optional` means that a page whose fonts arrive after its
 * first paint keeps the fallback, so nothing shifts; the next page has them from the cache. The fallbacks have the widths and line
 * heights of Figtree: `size-adjust` is its mean width over 240 characters of our own text at weight 400 (600 for bold), divided by
 * that of Arial, Arial Bold and Roboto; its ascent and descent, 0.95 and 0.25 of its size, are divided by the same.
 */
export const fontFaces = (files: SiteFiles, base: string): string =>
  [
    face("Figtree", `url("${base}/${files["sans.woff2"]}") format("woff2")`, loaded("300 900")),
    face(
      "Atkinson Hyperlegible Mono",
      `url("${base}/${files["mono.woff2"]}") format("woff2")`,
      loaded("200 800"),
    ),
    face("Fallback Sans", locals("Arial", "ArialMT", "Liberation Sans"), adjusted(1.008)),
    face(
      "Fallback Sans",
      locals("Arial Bold", "Arial-BoldMT", "Liberation Sans Bold"),
      `font-weight:600 800;${adjusted(0.943)}`,
    ),
    face("Fallback Roboto", locals("Roboto", "Roboto-Regular"), adjusted(1.012)),
  ].join("");

const face = (family: string, source: string, rest: string): string =>
  `@font-face{font-family:"${family}";src:${source};${rest}}`;

const loaded = (weights: string): string => `font-weight:${weights};font-display:optional`;

const locals = (...names: string[]): string => names.map((name) => `local("${name}")`).join(",");

const adjusted = (size: number): string => {
  const percent = (value: number) => `${Number((value * 100).toFixed(1))}%`;
  return `size-adjust:${percent(size)};ascent-override:${percent(0.95 / size)};descent-override:${percent(0.25 / size)};line-gap-override:0%`;
};
