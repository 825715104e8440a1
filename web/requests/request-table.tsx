import { type KeyboardEvent, useState } from "react";
import type { RequestsView, RequestView } from "#api/dashboard/shapes.ts";
import { dayOf, secondOf, shortDay } from "../parts/numbers.ts";
import { State } from "../parts/state.tsx";
import { duration, size, statusLook } from "./request-text.ts";

/** After the time; their widths are in requests.css. */
const COLUMNS = [
  ["name", "Tool"],
  ["status", "Status"],
  ["key", "Key"],
  ["ms", "Latency"],
  ["size", "In, out"],
  ["address", "Address"],
] as const;

/**
 * The list of requests. Columns drop out by priority where the space is short (requests.css); the panel of a request has all of
 * them. Up and down move between the rows.
 */
export function RequestTable(props: {
  requests: RequestView[];
  keys: Map<string, RequestsView["keys"][number]>;
  onOpen: (request: RequestView) => void;
}) {
  const { keys } = props;
  const [openedAt] = useState(() => Date.now());
  const today = dayOf(Date.now());
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(".tb-log-open")];
    const next = rows[rows.indexOf(document.activeElement as HTMLElement) + step];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div className="tb-log">
      <table aria-label="Requests, newest first" onKeyDown={move}>
        <thead>
          <tr>
            <th scope="col" className="tb-log-time">
              <span className="tb-log-time-utc">Time (UTC)</span>
              <span className="tb-log-utc">UTC</span>
            </th>
            {COLUMNS.map(([name, title]) => (
              <th key={name} scope="col" className={`tb-log-${name}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.requests.map((request) => {
            const { cursor, at, tool, status, code, key, times, bytes, address } = request;
            const isToday = dayOf(at) === today;
            const name = key === null ? "Unknown" : (keys.get(key)?.label ?? key);
            return (
              <tr key={cursor} data-new={at > openedAt}>
                <th scope="row" className="tb-log-time">
                  <button
                    type="button"
                    className="tb-log-open"
                    aria-haspopup="dialog"
                    onClick={() => props.onOpen(request)}
                  >
                    <time dateTime={new Date(at).toISOString()}>
                      <span className="tb-log-day" data-today={isToday}>
                        {shortDay(at)}{" "}
                      </span>
                      {secondOf(at)}
                    </time>
                  </button>
                </th>
                <td className="tb-log-name">
                  {tool}
                  {code !== null && <span className="tb-log-code-below">{code}</span>}
                </td>
                <td className="tb-log-status">
                  <State {...statusLook(status)}>
                    {code !== null && <span className="tb-log-code">{code}</span>}
                  </State>
                </td>
                <td className="tb-log-key" title={name}>
                  {name}
                </td>
                <td className="tb-log-ms">{duration(times.total)}</td>
                <td className="tb-log-size">
                  {bytes.received === null ? "–" : size(bytes.received)},{" "}
                  {bytes.sent === null ? "–" : size(bytes.sent)}
                </td>
                <td className="tb-log-address" title={address ?? undefined}>
                  {address ?? "–"}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
