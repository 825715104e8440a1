import { type ReactNode, useId } from "react";
import "./choice.css";

/** One of a few choices: radio buttons, which browsers name, reach and change with the keyboard, and which wrap on a phone. */
export function Choice<Value extends string>({
  legend,
  choices,
  value,
  onChange,
  describedBy,
}: {
  legend: ReactNode;
  choices: readonly (readonly [value: Value, label: string])[];
  value: Value;
  onChange(value: Value): void;
  describedBy?: string | undefined;
}) {
  const group = useId();
  return (
    <fieldset className="tb-segments" aria-describedby={describedBy}>
      <legend>{legend}</legend>
      <div>
        {choices.map(([each, label]) => (
          <label key={each}>
            <input
              type="radio"
              name={group}
              value={each}
              checked={each === value}
              onChange={() => onChange(each)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
