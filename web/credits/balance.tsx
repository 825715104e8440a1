import type { CreditsView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber, longDay, timeUntil } from "../parts/numbers.ts";
import { Stat } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";

/** The balance, and what part of it expires next. */
export function Balance({ view, now }: { view: CreditsView; now: number }) {
  const { balance, lifetime, nextExpiry: next } = view;
  return (
    <dl className="tb-stats">
      <Stat
        name="Balance"
        value={<span className="tb-balance">{formatNumber(balance)}</span>}
        unit={balance === 1 ? "credit" : "credits"}
      >
        <BalanceText balance={balance} held={view.held} lifetime={lifetime} />
      </Stat>
      <Stat name="Next expiry" value={next === null ? "None" : timeUntil(next.at, now)}>
        {next === null
          ? "No credits expire"
          : `${counted(next.credits, "credit")}, ${longDay(next.at)}`}
      </Stat>
      <Stat name="Never expire" value={formatNumber(view.permanent ?? 0)}>
        {view.permanent === 1 ? "credit" : "credits"}
      </Stat>
    </dl>
  );
}

function BalanceText({
  balance,
  held,
  lifetime,
}: Pick<CreditsView, "balance" | "held" | "lifetime">) {
  if (held > 0) return `${counted(held, "credit")} held by running calls`;
  if (balance === 0) return <State shape="cross" tone="warn" title="Calls are rejected" />;
  if (lifetime) return <State shape="check" tone="ok" title="Lifetime plan: never expires" />;
  return "Those that expire first are used first";
}
