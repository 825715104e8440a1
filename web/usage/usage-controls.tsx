import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import type { UsageView } from "#api/dashboard/shapes.ts";
import { Choice } from "../parts/choice.tsx";
import { KeySelect, ToolSelect } from "../parts/filters.tsx";
import { dayOf } from "../parts/numbers.ts";
import { RangeForm } from "../parts/range-form.tsx";
import { GROUPINGS } from "./breakdown.ts";
import type { Change, Choices } from "./choices.ts";
import { PRESETS, rangeError } from "./range.ts";

type Props = {
  choices: Choices;
  /** Null while it is loading. */
  view: UsageView | null;
  now: number;
  onChoose: (change: Change) => void;
};

export function UsageControls({ choices, view, now, onChoose }: Props) {
  // Before a custom period is shown, it is not in the URL.
  const [isChoosing, setChoosing] = useState(false);
  const isCustom = isChoosing || choices.span === "custom";
  return (
    <>
      <div className="tb-filters">
        <Choice
          legend="Period (UTC)"
          choices={[
            ...PRESETS.map((days) => [String(days), `${days} days`] as const),
            ["custom", "Custom"],
          ]}
          value={isCustom ? "custom" : choices.span}
          onChange={(span) => {
            setChoosing(span === "custom");
            if (span !== "custom") onChoose({ days: span });
          }}
        />
        <ToolSelect
          tools={[...new Set(view?.rows.map(({ tool }) => tool))].sort()}
          chosen={choices.tool}
          onChoose={(tool) => onChoose({ tool })}
        />
        <KeySelect
          keys={view?.keys ?? []}
          chosen={choices.key}
          onChoose={(key) => onChoose({ key })}
        />
        <NativeSelect
          label="Group by"
          value={choices.grouping}
          data={Object.entries(GROUPINGS).map(([value, { title }]) => ({ value, label: title }))}
          onChange={(event) => onChoose({ by: event.currentTarget.value })}
        />
      </div>
      {isCustom && (
        <RangeForm
          type="date"
          labels={["First day", "Last day"]}
          max={dayOf(now)}
          start={choices.range}
          check={(range) => rangeError(range, now)}
          onChoose={(range) => {
            setChoosing(false);
            onChoose(range);
          }}
        />
      )}
    </>
  );
}
