import { createTheme, type MantineColorsTuple } from "@mantine/core";

/** Around the accents of colours.css: 7 is the one of light pages, 3 that of dark ones. */
const accent: MantineColorsTuple = [
  "#e6f1ee",
  "#cbe5df",
  "#9cd9cd",
  "#63cdbb",
  "#3fb3a1",
  "#239385",
  "#11786e",
  "#0a5f58",
  "#084c47",
  "#063a36",
];

const red: MantineColorsTuple = [
  "#fbe7e4",
  "#f7cfca",
  "#f5b5ad",
  "#f39a90",
  "#e46f63",
  "#cf4a3e",
  "#b5342a",
  "#9b231b",
  "#7c1b15",
  "#5e1410",
];

export const SANS =
  'ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif';
export const MONO =
  'ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace';

export const theme = createTheme({
  colors: { accent, red },
  primaryColor: "accent",
  primaryShade: { light: 7, dark: 3 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  black: "#1c2126",
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  defaultRadius: "md",
  radius: { md: "8px" },
  respectReducedMotion: true,
  cursorType: "pointer",
  focusRing: "auto",
  headings: {
    fontFamily: SANS,
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.75rem", lineHeight: "1.25" },
      h2: { fontSize: "1.25rem", lineHeight: "1.3" },
      h3: { fontSize: "1.05rem", lineHeight: "1.35" },
    },
  },
});
