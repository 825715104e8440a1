/**
 * `npm run images`: draws the images of the logo in `web/images` and the pictures of screens in `docs/images` with the tests' browser.
 * The logo follows the mark, the tokens and the typefaces of the site. Run it after a change of what is drawn, and look at the result.
 * `npm run images -- screens` draws only the screens.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { GATE_STYLE, gatePicture } from "#site/gate.ts";
import { markOn } from "#site/mark.ts";
import type { SiteFileName } from "#site/site-files.ts";
import { LIGHT, tokensCss } from "#site/tokens.ts";
import { openBrowser } from "../support/chromium.ts";
import { openPage, openScreen } from "./screen-page.ts";
import { openScreenSite } from "./screen-site.ts";
import { SCREENS } from "./screens.ts";

const ROOT = path.join(import.meta.dirname, "../..");

/** The pictures in `docs/images`, which the README shows, each with its screen of `screens.ts`. */
const SCREEN_PICTURES = { "dashboard.png": "home", "call.png": "tool, qr-code" };

const font = (family: string, name: string) => {
  const file = `node_modules/@fontsource-variable/${name}/files/${name}-latin-wght-normal.woff2`;
  const bytes = readFileSync(path.join(ROOT, file)).toString("base64");
  return `@font-face{font-family:"${family}";src:url(data:font/woff2;base64,${bytes});font-weight:200 800}`;
};

const STYLE = `${tokensCss()}${GATE_STYLE}
${font("Figtree", "figtree")}${font("Atkinson Hyperlegible Mono", "atkinson-hyperlegible-mono")}
*{box-sizing:border-box}body{margin:0;font-family:var(--tb-font);color:var(--tb-ink);background:var(--tb-bg)}
.gate *{animation:none!important}`;

/** The image of a link, 1200 by 630 pixels. */
const SHARE = `<style>${STYLE}
body{width:1200px;height:630px;padding:72px 80px 0;display:flex;flex-direction:column;border-top:14px solid var(--tb-accent)}
.brand{display:flex;align-items:center;gap:18px;font-size:34px;font-weight:650;letter-spacing:-.01em}.brand svg{width:56px;height:56px;color:var(--tb-accent)}
h1{font-size:92px;line-height:1.04;letter-spacing:-.035em;font-weight:700;margin:54px 0 0;max-width:900px}
p{font-size:31px;color:var(--tb-soft);margin:26px 0 0}
.gate{position:absolute;right:64px;bottom:44px;width:440px}
code{font:600 25px var(--tb-mono);color:var(--tb-accent);position:absolute;left:80px;bottom:70px}
</style><div class="brand">${markOn("#fff")}Toolbooth</div>
<h1>Small tools, one request away</h1>
<p>Markdown, QR codes, hashes and UUIDs over HTTP</p>
<code>POST /api/v1/hash</code>${gatePicture("hash", { raised: true })}`;

/** The logo alone. `share`: how much of the width it takes; a mask of the system may cut off what is outside four fifths. */
const logo = (size: number, share: number, ground: string) => `<style>${STYLE}
body{width:${size}px;height:${size}px;display:grid;place-items:center;background:${ground}}
svg{width:${size * share}px;height:${size * share}px;color:var(--tb-accent)}</style>${markOn("#fff")}`;

const IMAGES: [SiteFileName, number, number, string][] = [
  ["share.png", 1200, 630, SHARE],
  ["touch-icon.png", 180, 180, logo(180, 1, LIGHT.accent)],
  ["icon-192.png", 192, 192, logo(192, 1, "transparent")],
  ["icon-512.png", 512, 512, logo(512, 1, "transparent")],
  ["icon-maskable.png", 512, 512, logo(512, 0.72, LIGHT.accent)],
];

/** An ICO file with one PNG of 32 by 32 pixels: the header, the directory with its one entry, the image. */
function iconFile(png: Buffer): Buffer {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(32, 6);
  head.writeUInt8(32, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}

/** The screens as the tests show them. */
async function drawScreens(browser: Browser): Promise<void> {
  const site = await openScreenSite();
  try {
    for (const [picture, name] of Object.entries(SCREEN_PICTURES)) {
      const screen = SCREENS.find((each) => each.name === name);
      if (screen === undefined) throw new Error(`There is no screen "${name}"`);
      const page = await openPage(browser, { colorScheme: "light", width: 1280 });
      await openScreen(page, site, screen);
      await page.page.evaluate("document.fonts.ready");
      const bytes = await page.page.screenshot();
      await page.page.context().close();
      writeFileSync(path.join(ROOT, "docs/images", picture), bytes);
      process.stdout.write(`docs/images/${picture}: ${bytes.length} bytes\n`);
    }
  } finally {
    site.close();
  }
}

async function drawLogo(browser: Browser): Promise<void> {
  const draw = async (width: number, height: number, content: string): Promise<Buffer> => {
    const page = await browser.newPage({ viewport: { width, height } });
    await page.setContent(content);
    await page.evaluate("document.fonts.ready");
    const bytes = await page.screenshot({ omitBackground: true });
    await page.close();
    return bytes;
  };
  for (const [name, width, height, content] of IMAGES) {
    const bytes = await draw(width, height, content);
    writeFileSync(path.join(ROOT, "web/images", name), bytes);
    process.stdout.write(`web/images/${name}: ${bytes.length} bytes\n`);
  }
  const favicon = iconFile(await draw(32, 32, logo(32, 1, "transparent")));
  process.stdout.write(`FAVICON in src/site/mark.ts:\n${favicon.toString("base64")}\n`);
}

const browser = await openBrowser();
try {
  if (process.argv[2] !== "screens") await drawLogo(browser);
  await drawScreens(browser);
} finally {
  await browser.close();
}
