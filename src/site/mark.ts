import { trusted } from "./html.ts";
import { LIGHT } from "./tokens.ts";

/** The logo, a raised barrier. `ground`: the background colour behind it. */
export const markOn = (ground: string) =>
  trusted(
    `<svg width="24" height="24" viewBox="0 0 24 24" fill="none" aria-hidden="true"><rect width="24" height="24" rx="6" fill="currentColor"/><path d="M7 19V9.5m0 3L18.5 6" stroke="${ground}" stroke-width="2.4" stroke-linecap="round"/><circle cx="7" cy="12.5" r="2.2" fill="${ground}"/></svg>`,
  );

/** The logo as the icon of the browser tab. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none"><rect width="24" height="24" rx="6" fill="${LIGHT.accent}"/><path d="M7 19V9.5m0 3L18.5 6" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/><circle cx="7" cy="12.5" r="2.2" fill="#fff"/></svg>`,
)}`;

/** The logo as `/favicon.ico`, for programs that ask for that path: a PNG of 32 by 32 pixels in an ICO file. */
export const favicon = (): Uint8Array =>
  Uint8Array.from(atob(FAVICON), (char) => char.charCodeAt(0));

const FAVICON =
  "AAABAAEAICAAAAEAIAAfAQAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAQDAAAAgVRnxwAAACRQTFRFCl9YLXZwUI2Ic6Sglrq3udHP3Ojn////Cl9YCl9YCl9YCl9Y1u2J0AAAAAx0Uk5T//////////8AQIC/8aG6NgAAAJ5JREFUeNpj6OiYtYEBCrhXdnQwdHQxIIEVQIENyALcHQwoCoBKGCagCnAyLEAV4GJAMoLRCWgIkiSje7kAimrzclQBs/LyJGS+anl5CZwTZsAgCuTDNTCVJ7CUl5ciDGAqT04vL1NAaAdKl5cbIJmnDuQ7IlvgXl4eiNdFDGxILoBZS2uBDagC3OBADjNACmSMaMCIKIyoxIxstOQAAP/YMLag5fLPAAAAAElFTkSuQmCC";
