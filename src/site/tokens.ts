/**
 * The colours, sizes and fonts of every page: of those that the server renders and of those that React renders. CSS uses them as
 * `var(--tb-<name>)`. Text has a contrast of at least 4.5 to 1 on every background (WCAG 2.2, 1.4.3), in both colour schemes.
 */
export const LIGHT = {
  bg: "#fdfcf9",
  ink: "#1b2220",
  soft: "#57605c",
  line: "#e4e1d7",
  edge: "#83867e",
  panel: "#f6f4ee",
  accent: "#0a5f58",
  "accent-ink": "#074842",
  tint: "#e6f1ee",
  "on-filled": "#ffffff",
  ok: "#1b6238",
  "ok-bg": "#e2f2e7",
  warn: "#7d4700",
  "warn-bg": "#faeed8",
  bad: "#9b231b",
  "bad-bg": "#fbe7e4",
  key: "#0b4f7d",
  text: "#1b6238",
  value: "#8a3f0a",
  shadow: "0 1px 2px rgb(27 34 32 / 6%),0 12px 32px rgb(27 34 32 / 12%)",
  // The barrier's stripes and small marks of warmth. Not for text.
  signal: "#c96f12",
  "signal-bg": "#f7e2c2",
  "shadow-small": "0 1px 2px rgb(27 34 32 / 7%)",
} as const;

export const DARK: Record<keyof typeof LIGHT, string> = {
  bg: "#121615",
  ink: "#e3e8e5",
  soft: "#9da8a3",
  line: "#2a312f",
  edge: "#6b7671",
  panel: "#191f1d",
  accent: "#63cdbb",
  "accent-ink": "#8fe0d1",
  tint: "#18302e",
  "on-filled": "#0d1917",
  ok: "#7fd6a0",
  "ok-bg": "#16301f",
  warn: "#eab766",
  "warn-bg": "#362913",
  bad: "#f39a90",
  "bad-bg": "#3b1d1b",
  key: "#84c1ec",
  text: "#8fd3a8",
  value: "#e9b07e",
  shadow: "0 1px 2px rgb(0 0 0 / 40%),0 12px 32px rgb(0 0 0 / 45%)",
  signal: "#e9a14b",
  "signal-bg": "#4d3a22",
  "shadow-small": "0 1px 2px rgb(0 0 0 / 35%)",
};

/** The same in both colour schemes. `page-width` is the width of header, content and footer, without the gutters. */
export const SIZES = {
  font: '"Figtree","Fallback Sans","Fallback Roboto",ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif',
  mono: '"Atkinson Hyperlegible Mono",ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace',
  radius: "8px",
  "radius-large": "14px",
  fast: "150ms",
  slow: "200ms",
  "page-width": "78rem",
  gutter: "1.25rem",
  "header-height": "3.75rem",
} as const;

/** The attribute of the root element with the scheme that the user chose. Mantine reads and sets it too. */
export const SCHEME_ATTRIBUTE = "data-mantine-color-scheme";

/** The tokens of a service that differ from those of all. */
export const schemesCss = (
  light: Readonly<Record<string, string>>,
  dark: Readonly<Record<string, string>>,
): string =>
  [
    `:root{${declare(light)}}`,
    `@media screen and (prefers-color-scheme:dark){:root:not([${SCHEME_ATTRIBUTE}=light]){${declare(dark)}}}`,
    `@media screen{:root[${SCHEME_ATTRIBUTE}=dark]{${declare(dark)}}}`,
  ].join("");

const declare = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `--tb-${name}:${value}`)
    .join(";");

/** The declarations of a scheme, for a document of its own such as a preview. */
export const schemeCss = (scheme: "light" | "dark"): string =>
  `color-scheme:${scheme};${declare(scheme === "dark" ? DARK : LIGHT)}`;

/**
 * Dark where the system is dark unless the user chose light, and where the user chose dark. Print is always light: the selector
 * there outranks that of Mantine.
 */
export const tokensCss = (): string =>
  [
    `:root{${schemeCss("light")};${declare(SIZES)}}`,
    `@media screen and (prefers-color-scheme:dark){:root:not([${SCHEME_ATTRIBUTE}=light]){${schemeCss("dark")}}}`,
    `@media screen{:root[${SCHEME_ATTRIBUTE}=dark]{${schemeCss("dark")}}}`,
    `@media print{:root:root:root{color-scheme:light}}`,
  ].join("");
