import {
  Input,
  TextInput as LineInput,
  NumberInput,
  SegmentedControl,
  Stack,
  Switch,
} from "@mantine/core";
import { formatNumber } from "../parts/numbers.ts";
import { FieldLabel, type FieldProps, ORDER } from "./field.tsx";
import { Prose } from "./prose.tsx";
import { TextInput } from "./text-input.tsx";
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
          data={field.choices}
          value={String(value)}
          onChange={onChange}
          className="tool-choice"
        />
      </div>
    </Input.Wrapper>
  );
}

/** A text that may be long has a limit in bytes, and files can be opened in it. Any other is one line. */
function TextControl(props: FieldProps) {
  return props.field.bytesMax === undefined ? (
    <ShortTextInput {...props} />
  ) : (
    <TextInput {...props} />
  );
}

function ShortTextInput({ field, value, error, onChange }: FieldProps) {
  return (
    <LineInput
      label={<FieldLabel field={field} />}
      description={<FieldHint field={field} />}
      error={error === undefined ? undefined : <Prose text={error} />}
      inputWrapperOrder={ORDER}
      value={String(value)}
      spellCheck={false}
      autoCapitalize="off"
      autoCorrect="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
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

const CONTROLS = {
  text: TextControl,
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
