import { ICONS, type IconName } from "#site/icons.ts";

export type { IconName };

/**
 * An icon, `size` pixels wide and high, in the colour of the text. It is hidden from screen readers: the text or the label of the
 * button beside it says what it means.
 */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="tb-icon"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={ICONS[name]} />
    </svg>
  );
}
