import { raw } from "./markup.ts";
import { DARK, LIGHT } from "./tokens.ts";

/** The logo, a raised barrier, on a grid of 24 by 24: post and arm, and the pivot that holds them. */
const MARK = { lines: "M7.5 18.75V12.5M7.5 12.5 18.25 6.25", x: 7.5, y: 12.5, ring: 2.75, hole: 1 };

/** `ground`: the colour behind the logo, in which its lines are drawn. */
export const markOn = (ground: string) =>
  raw(
    `<svg width="24" height="24" viewBox="0 0 24 24" fill="none" aria-hidden="true"><rect width="24" height="24" rx="6.5" fill="currentColor"/><path d="${MARK.lines}" stroke="${ground}" stroke-width="2.5" stroke-linecap="round"/><circle cx="${MARK.x}" cy="${MARK.y}" r="${MARK.ring}" fill="${ground}"/><circle cx="${MARK.x}" cy="${MARK.y}" r="${MARK.hole}" fill="currentColor"/></svg>`,
  );

/** The logo as `/icon.svg`, the icon of the browser tab. It follows the colour scheme of the browser. */
export const ICON_SVG = markOn("var(--ground)").replace(
  ">",
  ` xmlns="http://www.w3.org/2000/svg"><style>svg{color:${LIGHT.accent};--ground:#fff}@media(prefers-color-scheme:dark){svg{color:${DARK.accent};--ground:${DARK.bg}}}</style>`,
);

/** The logo as `/favicon.ico`, for programs that ask for that path: a PNG of 32 by 32 pixels in an ICO file. */
export const favicon = (): Uint8Array =>
  Uint8Array.from(atob(FAVICON), (char) => char.charCodeAt(0));

const FAVICON =
  "AAABAAEAICAAAAEAIACZAwAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAA05JREFUeJzEl1tME0EUhv/Zbm1LBTQR6xUVEpGCIPIgEeWmEngzEURBAYmJ8RL0wfggyoP3KImRF2MDBlArEjW8mBgEMSARY5CLXEWRqICXByCGUuhlnF0iUmhBS1u+pOnZM2fn/HtmZ3aGhxVkaUmxEiAcFJspwSYC4g47oKC/CMVrgNSYCar1hcUVk2PIpMS+HCUaQhADp0DLTERybKRA22kpICqKl69SnWYX7EdkcCKsKiOUkot6uccVaDQGTnDO816qZqXKcnZyASEHAT0j1Q2qx64TE+e5KSRvmBUEV0Jpo87HfyMnU/IxLk8uQEiwrLsjlpOYaRicxAI3JTKitmGhUmm1XcjNs1qETZoMs4Zj0+hIbDyydibAQ6FAfHAIEm/kWIkUBBCyAQ4kJmA9rqWkYd2y5eO+SHWg9WCWm1UAKjgAX9USXE1ORRx72omYzGacKMq3dZuKxyyZL5eLpT68Iw5SicSi7WljPU5pi/Dx+zeb99stgLBxPhAZg+xdu+Hl7mHR9oElPF6YhxetLTP2Y5eALX7+uJ6aAfXyFRb+/qEhXCp9iFsVZWLp/4VpBQSsWInLe/Yj1McHRpMZ7/t6MWIwIDrA8qUSkuVXluPc4xJRxP9gU8Bqr8WoPHseStnf1XmRu9+UuOr2NmSycgvi7MGmgJTwCDG5nj1xZkGe6MtNPwi5VCra3T9/iC/Yk/o6zAabArwXeYn/Ve2tuFdTJdr7tkYiYp0abz91IfpCNhsWE2aLTQGDurGxDPZePS7Gb+nY4vKqs8MhyacVUNbUgKNsOVV5eqItJ3dKm6PgbDWUNzfh7suqKX7BJ7Q5XYDAobybqGxpHr9+3vxO9DmSGReiAd2QVdtRcJhj5l4AFfftc4OQm2Pb5GnnVFvv13G7tecLHCyhlmcHkYbpdmSa8jJ4KtwwajRCU/EMDoVDLUFy8kIFb6pj3/c1cCGUfU6GiT6Eg1bbD0r2UkpH4SLEXNSUhILSAXEPZWxq7uGDAo2sCtvhCihODt8peSSYFqPvlpYYSsE9YMcnXzgBVvYuI0WCoai4/o/PYhdpaGztM65V35by3CgL7ieEFYvCk1VGAjtgfehZF+3siF/NbK1eZ0433y/5PDHmNwAAAP//EesfvgAAAAZJREFUAwA8mCUXlL+QHwAAAABJRU5ErkJggg==";
