import { type ReactNode, useId } from "react";
import "./checkboxes.css";

/** Checkboxes for some of `options`, and what is wrong with the choice. `detail`: stands below the label, and describes it. */
export function Checkboxes<Value extends string>(props: {
  options: readonly { value: Value; label: ReactNode; detail?: string }[];
  chosen: readonly Value[];
  error: string | undefined;
  /** Gets them in the order of the options. */
  onChange: (chosen: Value[]) => void;
}) {
  const { options, chosen, error } = props;
  const id = useId();
  return (
    <>
      {options.map(({ value, label, detail }) => (
        <div key={value} className="tb-option">
          <input
            type="checkbox"
            id={`${id}-${value}`}
            checked={chosen.includes(value)}
            aria-invalid={error !== undefined}
            aria-describedby={
              [detail && `${id}-${value}-detail`, error && `${id}-error`]
                .filter(Boolean)
                .join(" ") || undefined
            }
            onChange={({ currentTarget: { checked } }) =>
              props.onChange(
                options
                  .map((each) => each.value)
                  .filter((each) => (each === value ? checked : chosen.includes(each))),
              )
            }
          />
          <label htmlFor={`${id}-${value}`}>{label}</label>
          {detail !== undefined && <code id={`${id}-${value}-detail`}>{detail}</code>}
        </div>
      ))}
      {error !== undefined && (
        <p id={`${id}-error`} className="tb-option-error">
          {error}
        </p>
      )}
    </>
  );
}
