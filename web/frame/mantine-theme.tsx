import { MantineContext, MantineThemeProvider } from "@mantine/core";
import type { ReactNode } from "react";
import { theme } from "../theme.ts";

/**
 * What Mantine's components read, in place of its provider. The colours follow the header (`web/shell/appearance.ts`), and the
 * variables of the theme are in the head of every page (`src/apps/node/build.ts`). Mantine's provider computes both in the browser,
 * with 3 kB of code, while the first render waits for it.
 */
export const MantineTheme = ({ children }: { children: ReactNode }) => (
  <MantineContext value={CONTEXT}>
    <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
  </MantineContext>
);

const CONTEXT = {
  colorScheme: "auto",
  setColorScheme: () => {},
  clearColorScheme: () => {},
  getRootElement: () => document.documentElement,
  classNamesPrefix: "mantine",
  cssVariablesSelector: ":root",
  withStaticClasses: true,
} as const;
