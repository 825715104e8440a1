import { flood, type Hostile, writtenFamily } from "./hostile-shapes.ts";

const autolinks = writtenFamily("autolinks", {
  "a long path ending in brackets": (size) =>
    `www.a.b/${"(".repeat(size / 4)}${")".repeat((size * 3) / 4)}`,
  ...Object.fromEntries(
    [
      "www._",
      "www.a_b.",
      "http://",
      "http://a_",
      "://",
      "a@",
      "a@b.c",
      "a@b_",
      "www.a*b*",
      "a.b.",
      "xmpp:",
    ].map((unit) => [`${unit} in link text, never closed`, flood("[", unit)]),
  ),
});

const html = writtenFamily("inline HTML");

export const tags: Hostile[] = [...autolinks, ...html];
