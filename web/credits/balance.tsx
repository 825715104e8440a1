import { Text } from "@mantine/core";
import type { CreditsView, GrantView } from "#api/dashboard/shapes.ts";
import "../home/home.css";
import { counted, formatNumber } from "../parts/numbers.ts";
import { State } from "../parts/state.tsx";
import { endText } from "./credit-text.ts";

/** What there is, and what becomes of it by itself. */
export function Balance({ view, now }: { view: CreditsView; now: number }) {
  const good = view.grants.filter((grant) => isGood(grant, now));
  const kept = good.filter(({ expiresAt }) => expiresAt === null);
  const next = endsNext(good);
  return (
    <div className="tb-home-top">
      <div>
        <Text c="dimmed">Balance</Text>
        <div className="tb-figure">{formatNumber(view.balance)}</div>
        <Text c="dimmed">{view.balance === 1 ? "credit" : "credits"}</Text>
        {view.balance === 0 && (
          <State shape="cross" tone="warn">
            No credits left: calls are refused
          </State>
        )}
      </div>
      <dl className="tb-home-facts">
        {view.lifetime && (
          <div>
            <dt>Plan</dt>
            <dd>
              <State shape="check" tone="ok">
                Lifetime: credits do not expire
              </State>
            </dd>
          </div>
        )}
        <div>
          <dt>Ends next</dt>
          <dd>{next === null ? "Nothing" : endText(next, now)}</dd>
        </div>
        <div>
          <dt>Does not expire</dt>
          <dd>
            {counted(
              kept.reduce((sum, { remaining }) => sum + remaining, 0),
              "credit",
            )}
          </dd>
        </div>
      </dl>
    </div>
  );
}

const isGood = ({ remaining, expiresAt }: GrantView, now: number) =>
  remaining > 0 && (expiresAt === null || expiresAt > now);

function endsNext(grants: GrantView[]): { credits: number; at: number } | null {
  const ends = grants.flatMap(({ expiresAt }) => expiresAt ?? []);
  if (ends.length === 0) return null;
  const at = Math.min(...ends);
  const ending = grants.filter(({ expiresAt }) => expiresAt === at);
  return { at, credits: ending.reduce((sum, { remaining }) => sum + remaining, 0) };
}
