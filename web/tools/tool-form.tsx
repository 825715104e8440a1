import { Input, NumberInput, SegmentedControl, Stack, Switch, TextInput } from "@mantine/core";
import type { ChangeEvent } from "react";
import { formatNumber } from "../parts/numbers.ts";
import { FieldLabel, type FieldProps, ORDER } from "./field.tsx";
import { Prose } from "./prose.tsx";
import { LongTextInput } from "./text-input.tsx";
import type { FieldValues, ToolField } from "./tool-fields.ts";

/** The form of a tool, one control for each field of its schema. */
export function ToolForm({
  fields,
  values,
  errorOf,
  onChange,
}: {
  fields: readonly ToolField[];
  values: FieldValues;
  errorOf(field: ToolField): string | undefined;
  onChange(values: FieldValues): void;
}) {
  return (
    <Stack gap="lg">
      {fields.map((field) => {
        const Field = CONTROLS[field.kind];
        return (
          <Field
            key={field.name}
            field={field}
            value={values[field.name] ?? ""}
            error={errorOf(field)}
            onChange={(value) => onChange({ ...values, [field.name]: value })}
          />
        );
      })}
    </Stack>
  );
}

function ChoiceInput({ field, value, error, onChange }: FieldProps) {
  return (
    <Input.Wrapper
      label={<FieldLabel field={field} />}
      labelElement="div"
      description={<FieldHint field={field} />}
      error={error}
      inputWrapperOrder={ORDER}
    >
      <div>
        <SegmentedControl
          aria-label={field.name}
          data={field.choices.map(String)}
          value={String(value)}
          onChange={(chosen) =>
            onChange(field.choices.find((choice) => String(choice) === chosen) ?? chosen)
          }
          className="tool-choice"
        />
      </div>
    </Input.Wrapper>
  );
}

function NumericInput({ field, value, error, onChange }: FieldProps) {
  return (
    <NumberInput
      label={<FieldLabel field={field} />}
      description={<FieldHint field={field} />}
      error={error}
      inputWrapperOrder={ORDER}
      value={typeof value === "boolean" ? "" : value}
      // A value out of range is reported as the API reports it, not changed while the user types.
      clampBehavior="none"
      {...field.range}
      classNames={{ wrapper: "tool-number" }}
      onChange={(next) => onChange(typeof next === "bigint" ? Number(next) : next)}
    />
  );
}

function SwitchInput({ field, value, error, onChange }: FieldProps) {
  return (
    <Switch
      label={<FieldLabel field={field} />}
      description={<FieldHint field={field} />}
      error={error}
      checked={value === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

function LineInput({ field, value, error, onChange }: FieldProps) {
  return <TextInput {...lineProps({ field, value, error, onChange })} />;
}

/** Password managers are told to ignore it: it is a key of the caller, not a password of this site. */
function SecretInput(props: FieldProps) {
  return (
    <TextInput
      {...lineProps(props)}
      type="password"
      autoComplete="off"
      data-1p-ignore
      data-lpignore="true"
    />
  );
}

/** A text, because a color may be `transparent`, with the browser's picker beside it. */
function ColorField({ field, value, error, onChange }: FieldProps) {
  const text = String(value);
  const picked = /^#[0-9a-f]{3}$/i.test(text) ? text.replace(/[0-9a-f]/gi, "$&$&") : text;
  return (
    <TextInput
      {...lineProps({ field, value, error, onChange })}
      leftSection={
        <input
          type="color"
          className="tool-color"
          aria-label={`Choose ${field.name}`}
          value={/^#[0-9a-f]{6}$/i.test(picked) ? picked : "#ffffff"}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      }
    />
  );
}

const lineProps = ({ field, value, error, onChange }: FieldProps) => ({
  label: <FieldLabel field={field} />,
  description: <FieldHint field={field} />,
  error: error === undefined ? undefined : <Prose text={error} />,
  inputWrapperOrder: ORDER,
  value: String(value),
  spellCheck: false,
  autoCapitalize: "off",
  autoCorrect: "off",
  classNames: { wrapper: "tool-line" },
  onChange: (event: ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.value),
});

const CONTROLS = {
  text: LongTextInput,
  line: LineInput,
  secret: SecretInput,
  color: ColorField,
  choice: ChoiceInput,
  number: NumericInput,
  switch: SwitchInput,
};

function FieldHint({ field: { description, fallback, range } }: { field: ToolField }) {
  return (
    <>
      <Prose text={description} />
      {range !== undefined && ` ${formatNumber(range.min)} to ${formatNumber(range.max)}.`}
      {fallback !== undefined && (
        <>
          {" "}
          Default: <code className="tool-word">{String(fallback)}</code>.
        </>
      )}
    </>
  );
}
