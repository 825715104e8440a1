/**
 * The colors of a symbol: `#rrggbb` in lowercase, or `transparent` for the light ones.
 */
export const TRANSPARENT = "transparent";
export const BLACK = "#000000";
export const WHITE = "#ffffff";

/** Undefined for anything but `#rgb` and `#rrggbb`, in any case. */
export function readColor(text: string): string | undefined {
  const color = text.toLowerCase();
  if (/^#[0-9a-f]{6}$/.test(color)) return color;
  return /^#[0-9a-f]{3}$/.test(color) ? color.replace(/[0-9a-f]/g, "$&$&") : undefined;
}

/** Undefined also for what `readColor` does not read, but for `transparent`. */
export const readLightColor = (text: string): string | undefined =>
  text.toLowerCase() === TRANSPARENT ? TRANSPARENT : readColor(text);

/** The shortest form, as SVG may write it. */
export const shortColor = (color: string): string => color.replace(/^#(.)\1(.)\2(.)\3$/, "#$1$2$3");

/** Red, green and blue from 0 to 255. Transparent modules are shown on white, and are white where alpha is ignored. */
export function channelsOf(color: string): [number, number, number] {
  const value = Number.parseInt((color === TRANSPARENT ? WHITE : color).slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/**
 * The least contrast, in percent of that of black on white. Readers look at the levels of grey of a picture. Where a block of
 * pixels has one color, ZXing and jsQR put the threshold at half its level: an area of dark modules beside one of light modules
 * is dark only below half the light level, which 50 % ensures for every light color. jsQR reads 35 of 35 pictures at 127 on
 * 255, and 30 at 128.
 */
export const CONTRAST_MIN = 50;

/** From -100 to 100; negative where `dark` is the lighter one. The weighting that shows less contrast counts. */
export function contrastOf(dark: string, light: string): number {
  const [from, to] = [channelsOf(dark), channelsOf(light)];
  return Math.min(
    ...WEIGHTINGS.map((weights) => (greyOf(to, weights) - greyOf(from, weights)) / 25_500),
  );
}

type Three = readonly [number, number, number];

/** How readers weight red, green and blue, in parts of 10,000: Rec. 601 (ZXing) and Rec. 709 (jsQR). */
const WEIGHTINGS: readonly Three[] = [
  [2990, 5870, 1140],
  [2126, 7152, 722],
];

const greyOf = (color: Three, weights: Three): number =>
  color[0] * weights[0] + color[1] * weights[1] + color[2] * weights[2];
