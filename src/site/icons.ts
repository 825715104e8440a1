import { type Html, html } from "./markup.ts";

/**
 * The icons of all pages, one set for the server and for React (`web/parts/icon.tsx`). Each is the outline of a path on a grid of
 * 20 by 20, drawn with a line of 1.5 and round ends. A dot is a line of no length (`h0`), which the round ends make visible.
 */
const PATHS = {
  // The tools, by name.
  "markdown-render":
    "M4 4.5h12A1.5 1.5 0 0 1 17.5 6v8a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 14V6A1.5 1.5 0 0 1 4 4.5zM5.25 12.5v-5L7.5 10.25 9.75 7.5v5M13.75 7.5v5m-1.75-1.75 1.75 1.75 1.75-1.75",
  "qr-code":
    "M3.75 3h3.5a.75.75 0 0 1 .75.75v3.5a.75.75 0 0 1-.75.75h-3.5A.75.75 0 0 1 3 7.25v-3.5A.75.75 0 0 1 3.75 3zM12.75 3h3.5a.75.75 0 0 1 .75.75v3.5a.75.75 0 0 1-.75.75h-3.5a.75.75 0 0 1-.75-.75v-3.5a.75.75 0 0 1 .75-.75zM3.75 12h3.5a.75.75 0 0 1 .75.75v3.5a.75.75 0 0 1-.75.75h-3.5a.75.75 0 0 1-.75-.75v-3.5a.75.75 0 0 1 .75-.75zM12 12h1.5v1.75M17 12h0M12 17h0M14.75 17H17v-2.25",
  hash: "M7.75 3 6.25 17M13.75 3l-1.5 14M3.5 7.25h13.25M3.25 12.75H16.5",
  uuid: "M5.5 3h9A2.5 2.5 0 0 1 17 5.5v9a2.5 2.5 0 0 1-2.5 2.5h-9A2.5 2.5 0 0 1 3 14.5v-9A2.5 2.5 0 0 1 5.5 3zM7.25 7h-.5M13.25 7h-.5M10.25 10h-.5M7.25 13h-.5M13.25 13h-.5",
  echo: "M3.5 5.25h9.25a3.75 3.75 0 0 1 0 7.5H3.5M6.75 9.5 3.5 12.75 6.75 16",

  // Places.
  home: "M3 9.25 10 3.5l7 5.75V16a1 1 0 0 1-1 1h-3.5v-5h-5v5H4a1 1 0 0 1-1-1z",
  tools:
    "M4 3.5h3.5a.5.5 0 0 1 .5.5v3.5a.5.5 0 0 1-.5.5H4a.5.5 0 0 1-.5-.5V4a.5.5 0 0 1 .5-.5zM12.5 3.5H16a.5.5 0 0 1 .5.5v3.5a.5.5 0 0 1-.5.5h-3.5a.5.5 0 0 1-.5-.5V4a.5.5 0 0 1 .5-.5zM4 12h3.5a.5.5 0 0 1 .5.5V16a.5.5 0 0 1-.5.5H4a.5.5 0 0 1-.5-.5v-3.5a.5.5 0 0 1 .5-.5zM12.5 12H16a.5.5 0 0 1 .5.5V16a.5.5 0 0 1-.5.5h-3.5a.5.5 0 0 1-.5-.5v-3.5a.5.5 0 0 1 .5-.5z",
  docs: "M10 5.5C8.5 4 6 3.5 3 3.5v11.75c3 0 5.5.5 7 2 1.5-1.5 4-2 7-2V3.5c-3 0-5.5.5-7 2zM10 5.5v11.75",
  keys: "M10.5 13a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0zM9.5 10.5l7-7M13.25 6.75l2.5 2.5",
  usage: "M3 16.75h14M5.5 13.25v-2.5M10 13.25v-9.5M14.5 13.25V7.5",
  requests: "M7.25 5H17M7.25 10H17M7.25 15H17M3.5 5h0M3.5 10h0M3.5 15h0",
  credits:
    "M12.5 12.25a4.75 4.75 0 1 1-9.5 0 4.75 4.75 0 0 1 9.5 0zM8.25 5.25A4.75 4.75 0 1 1 15 11.5M7.75 10.5V14",
  webhooks:
    "M12 5.25a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM6.5 14.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM17.5 14.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM9 7l-3.5 5.75M11 7l3.5 5.75M6.5 14.5h7",
  notifications:
    "M5 8.25a5 5 0 0 1 10 0c0 4 1.5 5.5 1.5 5.5h-13S5 12.25 5 8.25zM8.25 16.5a2 2 0 0 0 3.5 0",
  account:
    "M13.25 6.5a3.25 3.25 0 1 1-6.5 0 3.25 3.25 0 0 1 6.5 0zM3.75 17c.5-3.25 3-5 6.25-5s5.75 1.75 6.25 5",
  prices: "M3.5 4.5a1 1 0 0 1 1-1h5L17 11l-6 6-7.5-7.5zM7.25 7.25h0",

  // Appearance.
  sun: "M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM10 2.5V4M10 16v1.5M2.5 10H4M16 10h1.5M4.7 4.7l1.05 1.05M14.25 14.25l1.05 1.05M15.3 4.7l-1.05 1.05M5.75 14.25 4.7 15.3",
  moon: "M16.75 11.75A7 7 0 0 1 8.25 3.25a7 7 0 1 0 8.5 8.5z",
  system:
    "M4 3.5h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1zM10 13.5v3M6.75 16.5h6.5",

  // Actions.
  search: "M14.25 8.75a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0zM12.75 12.75 17 17",
  upload: "M10 13V3.5M5.75 7.75 10 3.5l4.25 4.25M3.5 16.75h13",
  filter: "M3 5.5h14M5.75 10h8.5M8.5 14.5h3",
  refresh: "M16.75 10a6.75 6.75 0 1 1-2-4.8L16.75 7.2M16.75 3.25V7.2h-4",
  play: "M6 4.15v11.7a.5.5 0 0 0 .76.43l9.5-5.85a.5.5 0 0 0 0-.86l-9.5-5.85a.5.5 0 0 0-.76.43z",
  menu: "M3 5.5h14M3 10h14M3 14.5h14",
  dots: "M5.25 10a.75.75 0 1 1-1.5 0 .75.75 0 0 1 1.5 0zM10.75 10a.75.75 0 1 1-1.5 0 .75.75 0 0 1 1.5 0zM16.25 10a.75.75 0 1 1-1.5 0 .75.75 0 0 1 1.5 0z",
  close: "M5 5l10 10M15 5 5 15",
  "chevron-down": "M5.25 7.75 10 12.5l4.75-4.75",

  // States.
  check: "M4 10.5l4 4 8-9",
  info: "M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0zM10 9.5v4M10 6.75h0",
  clock: "M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0zM10 6v4.25l2.75 1.5",
  lock: "M5 9h10a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1zM6.75 9V6.25a3.25 3.25 0 0 1 6.5 0V9",
  mail: "M4 4.5h12a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1zM3.25 6l6.75 5 6.75-5",
  link: "M8.25 11.75a3.25 3.25 0 0 0 4.6 0l2.7-2.7a3.25 3.25 0 0 0-4.6-4.6l-1 1M11.75 8.25a3.25 3.25 0 0 0-4.6 0l-2.7 2.7a3.25 3.25 0 0 0 4.6 4.6l1-1",
  terminal: "M4 5.5 8.5 10 4 14.5M10 15h6",
} as const satisfies Record<string, string>;

export type IconName = keyof typeof PATHS;

export const ICONS: Readonly<Record<IconName, string>> = PATHS;

/** The icon of a tool; a tool without one of its own has the icon of all tools. */
export const toolIcon = (tool: string): IconName => (isIconName(tool) ? tool : "tools");

const isIconName = (name: string): name is IconName => Object.hasOwn(PATHS, name);

/**
 * An icon in a server-rendered page, `size` pixels wide and high. It is decoration: the text beside it says the same. The styles of
 * the shell draw its lines, because every page has some dozens of them.
 */
export const icon = (name: IconName, size = 20): Html =>
  html`<svg class="tb-icon" width="${size}" height="${size}" viewBox="0 0 20 20" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
