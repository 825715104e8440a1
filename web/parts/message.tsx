import type { ReactNode } from "react";
import type { Tone } from "./state.tsx";
import "./records.css";

/** A sentence or two that stand out, with what to do about it. `live`: said by screen readers when it appears. */
export function LedgerEvent(props: {
  tone: Tone;
  title?: string;
  live?: boolean;
  action?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="tb-notice" data-tone={props.tone} {...(props.live ? { role: "status" } : {})}>
      <div>
        {props.title !== undefined && <strong>{props.title} </strong>}
        {props.children}
      </div>
      {props.action}
    </div>
  );
}
