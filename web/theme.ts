import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

/** Shades of the accents in colours.css: light pages use shade 7, dark pages shade 3. */
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

const SANS =
  'ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif';
const MONO = 'ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace';

/** Mantine's dark palette for inputs, menus and skeletons: from the text colour of dark pages to their background. */
const dark: MantineColorsTuple = [
  "#e2e6e8",
  "#c3cacf",
  "#9ba6ae",
  "#7d888f",
  "#68737b",
  "#2a3136",
  "#1a1f23",
  "#13171a",
  "#0f1315",
  "#0b0e10",
];

const gray: MantineColorsTuple = [
  "#f6f6f2",
  "#efefea",
  "#e9e9e3",
  "#e3e3dc",
  "#868e96",
  "#79828a",
  "#59626c",
  "#444c54",
  "#2f363c",
  "#1c2126",
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
