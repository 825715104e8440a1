import type { MantineColorSchemeManager } from "@mantine/core";
import { chooseAppearance, readAppearance, watchAppearance } from "../shell/appearance.ts";

let stopWatching = () => {};

/** Makes Mantine follow the choice in the header, which is outside of React. */
export const colorSchemeManager: MantineColorSchemeManager = {
  get: readAppearance,
  // Mantine also calls it for a change that it was told of.
  set(appearance) {
    if (appearance !== readAppearance()) chooseAppearance(appearance);
  },
  subscribe(onUpdate) {
    stopWatching = watchAppearance(onUpdate);
  },
  unsubscribe: () => stopWatching(),
  clear: () => chooseAppearance("auto"),
};
