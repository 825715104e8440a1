import { Button, NativeSelect, SegmentedControl, Text, TextInput } from "@mantine/core";
import { type FormEvent, useId, useState } from "react";
import type { UsageView } from "#api/dashboard/shapes.ts";
import { focusInvalidField } from "../parts/focus.ts";
import { dayOf } from "../parts/numbers.ts";
import { GROUPINGS } from "./breakdown.ts";
import type { Change, Choices } from "./choices.ts";
import { PRESETS, type Range, rangeError } from "./range.ts";

type Props = {
  choices: Choices;
  /** Null while it is loading. */
  view: UsageView | null;
  now: number;
  onChoose: (change: Change) => void;
};

export function UsageControls({ choices, view, now, onChoose }: Props) {
  const [customOpen, setCustomOpen] = useState(choices.span === "custom");
  return (
    <>
      <div className="tb-usage-controls">
        <fieldset>
          <legend>Period (UTC)</legend>
          <SegmentedControl
            transitionDuration={0}
            value={customOpen ? "custom" : choices.span}
            data={[
              ...PRESETS.map((days) => ({ value: String(days), label: `${days} days` })),
              { value: "custom", label: "Custom" },
            ]}
            onChange={(span) => {
              setCustomOpen(span === "custom");
              if (span !== "custom") onChoose({ days: span });
            }}
          />
        </fieldset>
        <NativeSelect
          label="Tool"
          value={choices.tool ?? ""}
          data={[
            { value: "", label: "All tools" },
            ...toolsIn(view, choices).map((name) => ({ value: name, label: name })),
          ]}
          onChange={(event) => onChoose({ tool: event.currentTarget.value })}
        />
        <NativeSelect
          label="Key"
          value={choices.key ?? ""}
          data={[{ value: "", label: "All keys" }, ...(view?.keys ?? []).map(keyChoice)]}
          onChange={(event) => onChoose({ key: event.currentTarget.value })}
        />
        <NativeSelect
          label="Group by"
          value={choices.grouping}
          data={Object.entries(GROUPINGS).map(([value, { title }]) => ({ value, label: title }))}
          onChange={(event) => onChoose({ by: event.currentTarget.value })}
        />
      </div>
      {customOpen && <CustomRange range={choices.range} now={now} onChoose={onChoose} />}
    </>
  );
}

/** The tools that were called, and the selected one, which must stay in the list. */
function toolsIn(view: UsageView | null, { tool }: Choices): string[] {
  const called = (view?.rows ?? []).map((row) => row.tool);
  return [...new Set(tool === null ? called : [...called, tool])].sort();
}

const keyChoice = ({ id, label, start, revokedAt }: UsageView["keys"][number]) => ({
  value: id,
  label: `${label} (${start}…)${revokedAt === null ? "" : ", revoked"}`,
});

function CustomRange(props: { range: Range; now: number; onChoose: (change: Change) => void }) {
  const [range, setRange] = useState(props.range);
  const [error, setError] = useState<string | null>(null);
  const errorId = useId();
  const described = error === null ? {} : { "aria-describedby": errorId, "aria-invalid": true };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = rangeError(range, props.now);
    setError(found);
    if (found === null) props.onChoose(range);
    else focusInvalidField(event.currentTarget);
  };
  return (
    <form className="tb-custom" noValidate onSubmit={submit}>
      <div className="tb-custom-row">
        <TextInput
          type="date"
          label="First day"
          value={range.from}
          max={dayOf(props.now)}
          {...described}
          onChange={(event) => setRange({ ...range, from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label="Last day"
          value={range.to}
          max={dayOf(props.now)}
          {...described}
          onChange={(event) => setRange({ ...range, to: event.currentTarget.value })}
        />
        <Button type="submit" variant="default">
          Show
        </Button>
      </div>
      <Text id={errorId} role="alert" size="sm" c="var(--tb-bad)" mt={error === null ? 0 : "xs"}>
        {error}
      </Text>
    </form>
  );
}
