import { hasOwnName } from "#brand.ts";
import { accentOf } from "./accent.ts";
import { type Html, html, raw } from "./markup.ts";
import { basePath } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";
import { DARK, LIGHT } from "./tokens.ts";

/** The logo, a raised barrier, on a grid of 24 by 24: post and arm, and the pivot that holds them. */
const MARK = { lines: "M7.5 18.75V12.5M7.5 12.5 18.25 6.25", x: 7.5, y: 12.5, ring: 2.75, hole: 1 };

/** `ground`: the colour behind the logo, in which its lines are drawn. */
export const markOn = (ground: string) =>
  raw(
    `<svg width="24" height="24" viewBox="0 0 24 24" fill="none" aria-hidden="true"><rect width="24" height="24" rx="6.5" fill="currentColor"/><path d="${MARK.lines}" stroke="${ground}" stroke-width="2.5" stroke-linecap="round"/><circle cx="${MARK.x}" cy="${MARK.y}" r="${MARK.ring}" fill="${ground}"/><circle cx="${MARK.x}" cy="${MARK.y}" r="${MARK.hole}" fill="currentColor"/></svg>`,
  );

/** The first character of a name, for a service that has one of its own and no logo. */
const initialOn = (name: string, ground: string): Html =>
  html`<svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6.5" fill="currentColor"/><text x="12" y="17.2" text-anchor="middle" font-family="system-ui,sans-serif" font-size="15" font-weight="700" fill="${ground}">${[...name][0]?.toUpperCase()}</text></svg>`;

/** What is beside the name of the service. */
export function brandMark(options: PageOptions): Html {
  const { look, name, publicUrl } = options;
  if (look?.logo) return html`<img src="${basePath(publicUrl)}/icon.svg" alt="">`;
  return hasOwnName(options) ? initialOn(name, "var(--tb-bg)") : markOn("var(--tb-bg)");
}

/** The icon of the browser tab, at `/icon.svg`: a PNG there says that it is one. Ours follows the colour scheme of the browser. */
export function siteIcon(options: Pick<PageOptions, "name" | "look">): {
  type: string;
  body: string | Uint8Array;
} {
  const logo = options.look?.logo ?? null;
  if (logo?.type === "image/png") return { type: logo.type, body: bytesOf(logo.base64) };
  if (logo !== null) return { type: logo.type, body: logo.text };
  const { name, look } = options;
  const drawn = String(
    hasOwnName(options) ? initialOn(name, "var(--ground)") : markOn("var(--ground)"),
  );
  const accent = look?.accent ? accentOf(look.accent) : null;
  const [light, dark] = [accent?.light ?? LIGHT, accent?.dark ?? DARK];
  const style = `<style>svg{color:${light.accent};--ground:#fff}@media(prefers-color-scheme:dark){svg{color:${dark.accent};--ground:${DARK.bg}}}</style>`;
  const body = drawn.replace(">", ` xmlns="http://www.w3.org/2000/svg">${style}`);
  return { type: "image/svg+xml", body };
}

/** `/favicon.ico`, for programs that ask for that path: our logo as a PNG of 32 by 32 pixels in an ICO file, or the icon of the service. */
export const favicon = (
  options: Pick<PageOptions, "name" | "look">,
): ReturnType<typeof siteIcon> =>
  hasOwnName(options) || options.look?.logo
    ? siteIcon(options)
    : { type: "image/vnd.microsoft.icon", body: bytesOf(FAVICON) };

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

const FAVICON =
  "AAABAAEAICAAAAEAIACZAwAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAA05JREFUeJzEl1tME0EUhv/Zbm1LBTQR6xUVEpGCIPIgEeWmEngzEURBAYmJ8RL0wfggyoP3KImRF2MDBlArEjW8mBgEMSARY5CLXEWRqICXByCGUuhlnF0iUmhBS1u+pOnZM2fn/HtmZ3aGhxVkaUmxEiAcFJspwSYC4g47oKC/CMVrgNSYCar1hcUVk2PIpMS+HCUaQhADp0DLTERybKRA22kpICqKl69SnWYX7EdkcCKsKiOUkot6uccVaDQGTnDO816qZqXKcnZyASEHAT0j1Q2qx64TE+e5KSRvmBUEV0Jpo87HfyMnU/IxLk8uQEiwrLsjlpOYaRicxAI3JTKitmGhUmm1XcjNs1qETZoMs4Zj0+hIbDyydibAQ6FAfHAIEm/kWIkUBBCyAQ4kJmA9rqWkYd2y5eO+SHWg9WCWm1UAKjgAX9USXE1ORRx72omYzGacKMq3dZuKxyyZL5eLpT68Iw5SicSi7WljPU5pi/Dx+zeb99stgLBxPhAZg+xdu+Hl7mHR9oElPF6YhxetLTP2Y5eALX7+uJ6aAfXyFRb+/qEhXCp9iFsVZWLp/4VpBQSsWInLe/Yj1McHRpMZ7/t6MWIwIDrA8qUSkuVXluPc4xJRxP9gU8Bqr8WoPHseStnf1XmRu9+UuOr2NmSycgvi7MGmgJTwCDG5nj1xZkGe6MtNPwi5VCra3T9/iC/Yk/o6zAabArwXeYn/Ve2tuFdTJdr7tkYiYp0abz91IfpCNhsWE2aLTQGDurGxDPZePS7Gb+nY4vKqs8MhyacVUNbUgKNsOVV5eqItJ3dKm6PgbDWUNzfh7suqKX7BJ7Q5XYDAobybqGxpHr9+3vxO9DmSGReiAd2QVdtRcJhj5l4AFfftc4OQm2Pb5GnnVFvv13G7tecLHCyhlmcHkYbpdmSa8jJ4KtwwajRCU/EMDoVDLUFy8kIFb6pj3/c1cCGUfU6GiT6Eg1bbD0r2UkpH4SLEXNSUhILSAXEPZWxq7uGDAo2sCtvhCihODt8peSSYFqPvlpYYSsE9YMcnXzgBVvYuI0WCoai4/o/PYhdpaGztM65V35by3CgL7ieEFYvCk1VGAjtgfehZF+3siF/NbK1eZ0433y/5PDHmNwAAAP//EesfvgAAAAZJREFUAwA8mCUXlL+QHwAAAABJRU5ErkJggg==";
