import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { HomeView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { BarChart } from "../parts/chart.tsx";
import { longDay, secondOf, shortDay, timeSince, timeUntil } from "../parts/numbers.ts";
import { ERROR_PATTERN } from "../parts/pattern.tsx";
import { Section, Stat } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { percent, statusLook } from "../requests/request-text.ts";
import { daysLeft, rateText, type Suggestion, type SuggestionLink } from "./suggestions.ts";

/** The parts of the home page of an account that makes calls. */

type Props = { view: HomeView; now: number };

export function Stats({ view, now }: Props) {
  const { today, days } = view;
  const failed = days?.at(-1)?.errors ?? null;
  return (
    <dl className="tb-stats">
      <Stat
        name="Balance"
        value={formatNumber(view.balance)}
        unit={view.balance === 1 ? "credit" : "credits"}
      >
        <BalanceText view={view} />
      </Stat>
      <Stat
        name="Calls today (UTC)"
        value={today === null ? "Counting" : formatNumber(today.calls)}
      >
        {today !== null && counted(today.credits, "credit")}
      </Stat>
      {failed !== null && (
        <Stat name="Errors today (UTC)" value={formatNumber(failed)}>
          {failed > 0 && today !== null
            ? `${percent(failed, failed + today.calls)} of requests`
            : "Errors are free"}
        </Stat>
      )}
      <Expiry view={view} now={now} />
    </dl>
  );
}

function BalanceText({ view }: { view: HomeView }) {
  const { balance, creditsPerDay } = view;
  if (view.freeCall) return <State shape="check" tone="ok" title="Your next call is free" />;
  if (view.held > 0) return `${counted(view.held, "credit")} held by running calls`;
  if (balance === 0) return <State shape="cross" tone="warn" title="Calls are rejected" />;
  const left = daysLeft(view);
  if (creditsPerDay === null) return "";
  if (left === null) return "No credits used in 7 days";
  const days = Math.round(left);
  if (days > 365) return "More than a year left";
  return `${days === 0 ? "Less than a day" : counted(days, "day")} left at ${rateText(creditsPerDay)} a day`;
}

/** What expires next: credits, or a key where that is sooner. */
function Expiry({ view: { nextExpiry, keyExpiry }, now }: Props) {
  if (keyExpiry !== null && (nextExpiry === null || keyExpiry.at < nextExpiry.at)) {
    return (
      <Stat name="Expires next" value={timeUntil(keyExpiry.at, now)}>
        Key <Link to="/settings/api-keys">{keyExpiry.label}</Link>, {longDay(keyExpiry.at)}
      </Stat>
    );
  }
  if (nextExpiry === null) {
    return (
      <Stat name="Expires next" value="Nothing">
        No credits or keys
      </Stat>
    );
  }
  return (
    <Stat name="Expires next" value={timeUntil(nextExpiry.at, now)}>
      <Link to="/credits">{counted(nextExpiry.credits, "credit")}</Link>, {longDay(nextExpiry.at)}
    </Stat>
  );
}

export function SuggestionCard({
  suggestion,
  onDismiss,
}: {
  suggestion: Suggestion;
  onDismiss: () => void;
}) {
  const { title, text, link } = suggestion;
  return (
    <aside className="tb-suggestion" aria-label="Suggestion">
      <div>
        <strong>{title}</strong>
        <Text component="p" size="sm" c="dimmed">
          {text}
        </Text>
      </div>
      {link !== null && (
        <Button
          size="sm"
          variant="default"
          renderRoot={(props) => <Target link={link} {...props} />}
        >
          {link.action}
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={`Dismiss: ${title}`}
        onClick={onDismiss}
      >
        Dismiss
      </Button>
    </aside>
  );
}

function Target({ link, ...props }: { link: SuggestionLink } & Record<string, unknown>) {
  return "to" in link ? (
    <Link to={link.to} search={link.search as never} {...props} />
  ) : (
    <a href={link.href} {...props} />
  );
}

/** Successful calls, and errors above them, where the service keeps a request log. */
export function DailyCalls({ days }: { days: NonNullable<HomeView["days"]> }) {
  const hasErrors = days.some(({ errors }) => errors !== null);
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  const errors = days.reduce((sum, day) => sum + (day.errors ?? 0), 0);
  const sums = hasErrors
    ? `${counted(calls, "call")} and ${counted(errors, "error")}`
    : counted(calls, "call");
  return (
    <Section
      title="Last 14 days"
      description={`${sums}. Days in UTC.`}
      side={<Link to="/usage">View usage</Link>}
    >
      <BarChart
        label={`Bar chart of the last 14 days: ${sums}. The table after it has the same data.`}
        series={[
          { title: "Calls", pattern: 0 },
          ...(hasErrors ? [{ title: "Errors", pattern: ERROR_PATTERN }] : []),
        ]}
        bars={days.map((day) => ({
          day: day.day,
          values: hasErrors ? [day.calls, day.errors ?? 0] : [day.calls],
        }))}
      />
      <details className="tb-chart-table">
        <summary>Show as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              <th scope="col">Calls</th>
              {hasErrors && <th scope="col">Errors</th>}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr key={day.day}>
                <th scope="row">{longDay(day.day)}</th>
                <td>{formatNumber(day.calls)}</td>
                {hasErrors && <td>{formatNumber(day.errors ?? 0)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </Section>
  );
}

export function LastErrors({
  errors,
  now,
}: {
  errors: NonNullable<HomeView["lastErrors"]>;
  now: number;
}) {
  const today = shortDay(now);
  return (
    <Section
      title="Last errors"
      side={
        <Link to="/requests" search={{ status: "errors" } as never}>
          View all
        </Link>
      }
    >
      {errors.length === 0 ? (
        <p className="tb-home-none">
          <State shape="check" tone="ok" title="No errors in the request log" />
        </p>
      ) : (
        <ul className="tb-home-list">
          {errors.map(({ cursor, id, at, tool, status, code }) => (
            <li key={cursor}>
              <Link to="/requests" search={{ id } as never}>
                <State {...statusLook(status)} />
                <span className="tb-home-main">
                  {code ?? "Error"}
                  <small>{tool}</small>
                </span>
                <time dateTime={new Date(at).toISOString()}>
                  {shortDay(at) === today ? "" : `${shortDay(at)}, `}
                  {secondOf(at).slice(0, 5)} UTC
                </time>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

export function TopKeys({ view: { topKeys, keys }, now }: Props) {
  return (
    <Section
      title={counted(keys, "active key")}
      side={
        <Link to="/settings/api-keys">
          {keys > topKeys.length ? `Manage all ${formatNumber(keys)}` : "Manage keys"}
        </Link>
      }
    >
      <ul className="tb-home-list">
        {topKeys.map(({ id, label, start, lastUsedAt, callsToday }) => (
          <li key={id}>
            <Link to="/requests" search={{ key: id } as never}>
              <span className="tb-home-main">
                {label}
                <small>
                  <code>{start}…</code>
                </small>
              </span>
              <span className="tb-home-side">
                {callsToday === null ? "Counting" : `${counted(callsToday, "call")} today`}
                <small>
                  {lastUsedAt === null ? "Never used" : `Used ${timeSince(lastUsedAt, now)}`}
                </small>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
