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
 * The typefaces: Atkinson Hyperlegible Next and Mono (SIL Open Font License 1.1), the Latin subset of Fontsource. `optional` means
 * that a page whose fonts arrive after its first paint keeps the fallback, so nothing shifts; the next page has them from the
 * cache. The fallbacks have the widths and line heights of the typefaces: `size-adjust` is the mean width of 240 letters of our
 * own text at weight 400 (600 for bold), divided by that in Arial, Arial Bold and Roboto; the other values are the ascent and the
 * descent of the typeface (0.984 and 0.316 of its size), divided by it.
 */
export const fontFaces = (files: SiteFiles, base: string): string =>
  [
    face(
      "Atkinson Hyperlegible Next",
      `url("${base}/${files["sans.woff2"]}") format("woff2")`,
      LOADED,
    ),
    face(
      "Atkinson Hyperlegible Mono",
      `url("${base}/${files["mono.woff2"]}") format("woff2")`,
      LOADED,
    ),
    face("Fallback Sans", locals("Arial", "ArialMT", "Liberation Sans"), adjusted(0.992)),
    face(
      "Fallback Sans",
      locals("Arial Bold", "Arial-BoldMT", "Liberation Sans Bold"),
      `font-weight:600 800;${adjusted(0.969)}`,
    ),
    face("Fallback Roboto", locals("Roboto", "Roboto-Regular"), adjusted(0.996)),
  ].join("");

const face = (family: string, source: string, rest: string): string =>
  `@font-face{font-family:"${family}";src:${source};${rest}}`;

const LOADED = "font-weight:200 800;font-display:optional";

const locals = (...names: string[]): string => names.map((name) => `local("${name}")`).join(",");

const adjusted = (size: number): string => {
  const percent = (value: number) => `${Number((value * 100).toFixed(1))}%`;
  return `size-adjust:${percent(size)};ascent-override:${percent(0.984 / size)};descent-override:${percent(0.316 / size)};line-gap-override:0%`;
};
