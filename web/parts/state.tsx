import type { ReactNode } from "react";
import type { Shape, StateLabel } from "./tone.ts";

const PATHS: Record<Shape, ReactNode> = {
  check: <path d="M5 8.2l2.1 2.1L11 6.2" />,
  cross: <path d="M5.8 5.8l4.4 4.4m0-4.4l-4.4 4.4" />,
  clock: <path d="M8 4.8V8l2.2 1.4" />,
  plus: <path d="M8 5v6M5 8h6" />,
  minus: <path d="M5 8h6" />,
  back: <path d="M10.5 6.5h-4a1.8 1.8 0 000 3.6h2.8M7.6 5.2L6.2 6.5l1.4 1.4" />,
  empty: null,
};

/** A state as an icon and a word, so that it does not depend on colour alone. `children` stand beside the word. */
export function State(
  props: Omit<StateLabel, "title"> & { title: ReactNode; children?: ReactNode },
) {
  const { shape } = props;
  return (
    <span className="tb-state" data-tone={props.tone}>
      <svg
        width="16"
        height="16"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <circle cx="8" cy="8" r="6.6" strokeDasharray={shape === "empty" ? "2 2.6" : "none"} />
        {PATHS[shape]}
      </svg>
      {props.title}
      {props.children}
    </span>
  );
}
