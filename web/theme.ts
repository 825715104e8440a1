import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";
import { DARK, LIGHT } from "#site/tokens.ts";

/** Shades around the colours of the tokens: light pages use shade 7, dark pages shade 3. */
const accent: MantineColorsTuple = [
  LIGHT.tint,
  "#cbe5df",
  "#9cd9cd",
  DARK.accent,
  "#3fb3a1",
  "#239385",
  "#11786e",
  LIGHT.accent,
  "#084c47",
  "#063a36",
];

const red: MantineColorsTuple = [
  LIGHT["bad-bg"],
  "#f7cfca",
  "#f5b5ad",
  DARK.bad,
  "#e46f63",
  "#cf4a3e",
  "#b5342a",
  LIGHT.bad,
  "#7c1b15",
  "#5e1410",
];

/** Mantine's dark palette for inputs, menus and skeletons: from the text colour of dark pages to their background. */
const dark: MantineColorsTuple = [
  DARK.ink,
  "#c3cacf",
  DARK.soft,
  "#7d888f",
  DARK.edge,
  DARK.line,
  DARK.panel,
  DARK.bg,
  "#0f1315",
  "#0b0e10",
];

const gray: MantineColorsTuple = [
  LIGHT.panel,
  "#efefea",
  "#e9e9e3",
  LIGHT.line,
  LIGHT.edge,
  "#79828a",
  LIGHT.soft,
  "#444c54",
  "#2f363c",
  LIGHT.ink,
];

/** Mantine would pick the text colour of filled buttons for light pages only; on dark pages those buttons are light. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colours = defaultVariantColorsResolver(input);
  return input.variant === "filled" ? { ...colours, color: "var(--tb-on-filled)" } : colours;
};

export const theme = createTheme({
  variantColorResolver,
  colors: { accent, red, dark, gray },
  primaryColor: "accent",
  primaryShade: { light: 7, dark: 3 },
  black: LIGHT.ink,
  fontFamily: "var(--tb-font)",
  fontFamilyMonospace: "var(--tb-mono)",
  defaultRadius: "md",
  radius: { md: "var(--tb-radius)" },
  respectReducedMotion: true,
  cursorType: "pointer",
  focusRing: "auto",
  headings: {
    fontFamily: "var(--tb-font)",
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.75rem", lineHeight: "1.25" },
      h2: { fontSize: "1.25rem", lineHeight: "1.3" },
      h3: { fontSize: "1.05rem", lineHeight: "1.35" },
    },
  },
});
