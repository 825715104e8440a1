import { Text } from "@mantine/core";
import type { CreditsView } from "#api/dashboard/shapes.ts";
import "../home/home.css";
import { counted, formatNumber } from "../parts/numbers.ts";
import { State } from "../parts/state.tsx";
import { expiryText } from "./credit-text.ts";

/** The balance, and what part of it expires next. */
export function Balance({ view, now }: { view: CreditsView; now: number }) {
  const next = view.nextExpiry;
  return (
    <div className="tb-home-top">
      <div>
        <Text c="dimmed">Balance</Text>
        <div className="tb-balance">{formatNumber(view.balance)}</div>
        <Text c="dimmed">{view.balance === 1 ? "credit" : "credits"}</Text>
        {view.balance === 0 && (
          <State shape="cross" tone="warn">
            No credits left: calls are rejected
          </State>
        )}
      </div>
      <dl className="tb-home-facts">
        {view.lifetime && (
          <div>
            <dt>Plan</dt>
            <dd>
              <State shape="check" tone="ok">
                Lifetime: your credits never expire
              </State>
            </dd>
          </div>
        )}
        <div>
          <dt>Next expiry</dt>
          <dd>{next === null ? "None" : expiryText(next, now)}</dd>
        </div>
        <div>
          <dt>Never expires</dt>
          <dd>{counted(view.permanent ?? 0, "credit")}</dd>
        </div>
      </dl>
    </div>
  );
}
