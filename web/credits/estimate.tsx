import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { PricesView } from "#api/dashboard/shapes.ts";
import { formatNumber } from "#counted.ts";
import { bestPlan, lifetimePlan, lifetimeText, purchasesText } from "#site/pack-plan.ts";
import { useHome } from "../member-queries.ts";
import { NO_NEED, needIn } from "../parts/numbers.ts";

const DAYS_A_MONTH = 30;
const CREDITS_DEFAULT = 1_000;

/** Which pack fits a number of credits a month: at first those of the present rate, if it is known. */
export function Estimate({ prices, lifetime }: { prices: PricesView; lifetime: boolean }) {
  const home = useHome();
  const rate = home.data?.creditsPerDay ?? null;
  const [typed, setTyped] = useState<string | null>(null);
  const used = rate === null || rate <= 0 ? null : Math.ceil(rate * DAYS_A_MONTH);
  const text = typed ?? formatNumber(used ?? CREDITS_DEFAULT);
  const credits = needIn(text);
  return (
    <div className="tb-estimate">
      <TextInput
        label="Credits you need a month"
        description={description(used, home.isPending)}
        inputMode="numeric"
        value={text}
        onChange={(event) => setTyped(event.currentTarget.value)}
        {...(credits === null && { "aria-invalid": true })}
      />
      <div aria-live="polite">
        {credits === null ? (
          <Text size="sm">{NO_NEED}</Text>
        ) : (
          <Fit prices={prices} lifetime={lifetime} credits={credits} />
        )}
      </div>
    </div>
  );
}

/** One line in each case, so that the field stays where it is. */
function description(used: number | null, isPending: boolean): string {
  if (used !== null) return "Filled in from your calls of the last 7 days";
  return isPending ? "\u00a0" : "An example: enter what you expect";
}

function Fit(props: { prices: PricesView; lifetime: boolean; credits: number }) {
  const plan = bestPlan(props.prices, props.credits);
  const forever = props.lifetime ? null : lifetimePlan(props.prices, props.credits);
  if (plan === null) return null;
  return (
    <>
      <p>
        About <strong>{plan.month}</strong> a month: {plan.year} in the first year.
      </p>
      <Text c="dimmed" size="sm">
        {purchasesText(plan)}. {forever !== null && lifetimeText(forever)}
      </Text>
    </>
  );
}
