import { ICONS, type IconName } from "./icons.ts";
import { type Html, html } from "./markup.ts";

/**
 * The tollgate, the picture of this service: a barrier that rises when a call is paid. The front page, the empty states of the
 * dashboard and the image of a link draw it from these shapes, on a grid of 200 by 96 with the ground at 84. A call is a tile of
 * 32 by 32 that waits before the barrier, and stands `passed` units further under a raised one; the arm turns around `pivot`.
 */
export const GATE = {
  width: 200,
  height: 96,
  ground: "M4 84h192",
  tile: { x: 24, y: 52, size: 32, radius: 8 },
  passed: 64,
  stand: { x: 138, y: 48, width: 12, height: 36, radius: 3 },
  pivot: { x: 144, y: 54, radius: 5 },
  arm: "M144 54H70",
  stripes: "M128 54H74",
  booth: "M160 84V45h26v39M156 45h34v-5a3 3 0 0 0-3-3h-28a3 3 0 0 0-3 3zM166 53h14v11h-14z",
  raisedDegrees: 38,
} as const;

/** The tollgate as a picture. `tile`: the icon of the call before it. Where it is `raised`, the arm rises and the call passes when the page opens. */
export function gatePicture(tile: IconName, { raised }: { raised: boolean }): Html {
  const { width, height, stand, pivot, arm, stripes, booth, ground } = GATE;
  const { x, y, size, radius } = GATE.tile;
  return html`<svg class="gate${raised && " gate-raised"}" viewBox="0 0 ${width} ${height}" fill="none" aria-hidden="true">
<path class="gate-line" d="${ground}"/><path class="gate-booth" d="${booth}"/>
<g class="gate-call"><rect class="gate-tile" x="${x}" y="${y}" width="${size}" height="${size}" rx="${radius}"/>
<path class="gate-icon" transform="translate(${x + 7} ${y + 7}) scale(.9)" d="${ICONS[tile]}"/></g>
<rect class="gate-post" x="${stand.x}" y="${stand.y}" width="${stand.width}" height="${stand.height}" rx="${stand.radius}"/>
<g class="gate-arm"><path class="gate-pole" d="${arm}"/><path class="gate-stripes" d="${stripes}"/></g>
<circle class="gate-pivot" cx="${pivot.x}" cy="${pivot.y}" r="${pivot.radius}"/></svg>`;
}

/** The styles of `.gate`, the same on all pages. */
export const GATE_STYLE = `
.gate{display:block;width:12.5rem;max-width:100%;height:auto;stroke-linecap:round;stroke-linejoin:round}
.gate-line{stroke:var(--tb-line);stroke-width:2}
.gate-booth{fill:var(--tb-panel);stroke:var(--tb-edge);stroke-width:1.5}
.gate-tile{fill:var(--tb-bg);stroke:var(--tb-edge);stroke-width:1.5}
.gate-icon{stroke:var(--tb-accent);stroke-width:1.6}
.gate-post{fill:var(--tb-accent)}
.gate-stripes{stroke:var(--tb-signal);stroke-width:5;stroke-dasharray:9 9;stroke-linecap:butt}
.gate-pole{stroke:var(--tb-signal-bg);stroke-width:8}
.gate-pivot{fill:var(--tb-bg);stroke:var(--tb-accent);stroke-width:2.5}
.gate-arm{transform-origin:${GATE.pivot.x}px ${GATE.pivot.y}px}
.gate-raised .gate-arm{transform:rotate(${GATE.raisedDegrees}deg);animation:gate-rise .9s .35s cubic-bezier(.3,.9,.3,1) backwards}
@keyframes gate-rise{from{transform:rotate(0)}}
.gate-raised .gate-call{transform:translateX(${GATE.passed}px);animation:gate-pass .7s .85s cubic-bezier(.3,.7,.3,1) backwards}
@keyframes gate-pass{from{transform:none}}
@media (prefers-reduced-motion:reduce){.gate-raised *{animation:none!important}}
`;
