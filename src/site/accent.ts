import type { EmailSender } from "#email/email-layout.ts";
import { channelsOf } from "#tools/qr-code/colors.ts";
import { DARK, LIGHT, schemesCss } from "./tokens.ts";

/**
 * The operator's colour in place of ours. Text in it has a contrast of at least 4.5 to 1 on every background that it is shown on, and so
 * has text on it (WCAG 2.2, 1.4.3): a colour that is too light for the light pages is darkened there, and one that is too dark
 * for the dark pages is lightened.
 */
type Shades = Readonly<Record<"accent" | "accent-ink" | "tint", string>>;

export type Accent = {
  light: Shades;
  dark: Shades;
  /** The schemes in which the colour could not be used as it is. */
  adapted: readonly ("light" | "dark")[];
};

const CONTRAST_MIN = 4.5;
/** Of text in a shade of its own on a tint, as in ours. */
const INK_CONTRAST_MIN = 7;

/** `colour`: `#rrggbb` in lower case. */
export function accentOf(colour: string): Accent {
  const light = shadesOf(colour, LIGHT, "#000000", 0.09);
  const dark = shadesOf(colour, DARK, "#ffffff", 0.18);
  const adapted = (["light", "dark"] as const).filter(
    (scheme) => ({ light, dark })[scheme].accent !== colour,
  );
  return { light, dark, adapted };
}

/** `end`: what the colour is mixed with until it can be read; `strength`: how much of it is in the tint. */
function shadesOf(
  colour: string,
  { bg, panel }: { bg: string; panel: string },
  end: string,
  strength: number,
): Shades {
  const tint = mix(bg, colour, strength);
  const grounds = [bg, panel, tint];
  const accent = readable(colour, grounds, end, CONTRAST_MIN);
  return { accent, "accent-ink": readable(accent, grounds, end, INK_CONTRAST_MIN), tint };
}

function readable(colour: string, grounds: readonly string[], end: string, min: number): string {
  for (let amount = 0; amount < 1; amount += 0.02) {
    const mixed = mix(colour, end, amount);
    if (grounds.every((ground) => contrast(mixed, ground) >= min)) return mixed;
  }
  return end;
}

/** Whose emails a service sends: they have its colour where pages have it. */
export const emailSenderOf = ({
  look: { accent },
  ...service
}: Required<Omit<EmailSender, "accent">> & { look: { accent: string | null } }): EmailSender => ({
  ...{ publicUrl: service.publicUrl, name: service.name, contact: service.contact },
  accent: accent === null ? null : accentOf(accent),
});

/** The styles that put the shades in place of those of `tokens.ts`. */
export const accentCss = ({ light, dark }: Accent): string => schemesCss(light, dark);

/** What the operator should know of a colour that could not be used as it is; null if it could, or if there is none. */
export function accentWarning(colour: string | null): string | null {
  if (colour === null) return null;
  const { light, dark, adapted } = accentOf(colour);
  if (adapted.length === 0) return null;
  const used = adapted.map((scheme) =>
    scheme === "light"
      ? `${light.accent} on light pages, where it is too light to be read`
      : `${dark.accent} on dark pages, where it is too dark to be read`,
  );
  return `TOOLBOOTH_ACCENT is ${colour}. Pages show ${used.join(", and ")}.`;
}

function mix(from: string, to: string, amount: number): string {
  const [first, second] = [channelsOf(from), channelsOf(to)];
  const channels = first.map((value, at) =>
    Math.round(value + ((second[at] as number) - value) * amount),
  );
  return `#${channels.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** WCAG 2.2, the definition of contrast ratio. */
export function contrast(first: string, second: string): number {
  const [darker, lighter] = [luminance(first), luminance(second)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = channelsOf(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
