import type { ReactNode } from "react";
import { GATE } from "#site/gate.ts";
import { ICONS, type IconName } from "#site/icons.ts";

/**
 * An empty state: a picture of what waits to come, what will be listed here, and the one action that adds the first item. Where
 * something has just arrived, such as a first call, `done` shows the barrier rising.
 */
export function Empty({
  title,
  icon = "requests",
  done = false,
  children,
  action,
}: {
  title: string;
  icon?: IconName;
  done?: boolean;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <section className="tb-empty">
      <Gate icon={icon} raised={done} />
      <h2>{title}</h2>
      {children !== undefined && <div className="tb-empty-text">{children}</div>}
      {action !== undefined && <div className="tb-empty-action">{action}</div>}
    </section>
  );
}

/** The tollgate of `gatePicture` (src/site/gate.ts), which has its shapes and its styles. */
export function Gate({ icon, raised }: { icon: IconName; raised: boolean }) {
  const { width, height, tile, stand, pivot } = GATE;
  return (
    <svg
      className={raised ? "gate gate-raised" : "gate"}
      viewBox={`0 0 ${width} ${height}`}
      fill="none"
      aria-hidden="true"
    >
      <path className="gate-line" d={GATE.ground} />
      <path className="gate-booth" d={GATE.booth} />
      <g className="gate-call">
        <rect
          className="gate-tile"
          x={tile.x}
          y={tile.y}
          width={tile.size}
          height={tile.size}
          rx={tile.radius}
        />
        <path
          className="gate-icon"
          transform={`translate(${tile.x + 7} ${tile.y + 7}) scale(.9)`}
          d={ICONS[icon]}
        />
      </g>
      <rect
        className="gate-post"
        x={stand.x}
        y={stand.y}
        width={stand.width}
        height={stand.height}
        rx={stand.radius}
      />
      <g className="gate-arm">
        <path className="gate-pole" d={GATE.arm} />
        <path className="gate-stripes" d={GATE.stripes} />
      </g>
      <circle className="gate-pivot" cx={pivot.x} cy={pivot.y} r={pivot.radius} />
    </svg>
  );
}
