import { Button, Text, TextInput } from "@mantine/core";
import { type FormEvent, useId, useState } from "react";
import { focusInvalidField } from "./focus.ts";

type Range = { from: string; to: string };

/** Two fields for the ends of a period. `check` returns a sentence about what is wrong with it, or null. */
export function RangeForm(props: {
  type: "date" | "datetime-local";
  labels: readonly [from: string, to: string];
  /** The latest value that can be chosen. */
  max?: string;
  start: Range;
  check: (range: Range) => string | null;
  onChoose: (range: Range) => void;
}) {
  const [range, setRange] = useState(props.start);
  const [error, setError] = useState<string | null>(null);
  const errorId = useId();
  const described = error === null ? {} : { "aria-describedby": errorId, "aria-invalid": true };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = props.check(range);
    setError(found);
    if (found === null) props.onChoose(range);
    else focusInvalidField(event.currentTarget);
  };
  return (
    <form className="tb-custom" noValidate onSubmit={submit}>
      <div className="tb-custom-row">
        {(["from", "to"] as const).map((end, at) => (
          <TextInput
            key={end}
            type={props.type}
            label={props.labels[at]}
            value={range[end]}
            {...(props.max !== undefined && { max: props.max })}
            {...described}
            onChange={(event) => setRange({ ...range, [end]: event.currentTarget.value })}
          />
        ))}
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
