import { TextInput } from "@mantine/core";
import { useState } from "react";
import { KEY_LABEL_CHARS_MAX } from "#limits.ts";
import type { SendState } from "../queries.ts";
import { FormDialog } from "./form-dialog.tsx";

/** What users name, such as keys: the words for one and for many, and for its name. `hint`: what the name may say. */
export type Named = { one: string; many: string; word: "label" | "name"; hint: string };

/** A sentence about what is wrong with a name; undefined if it is valid. */
export function nameError(name: string, { word, many }: Named): string | undefined {
  // As the service counts them.
  const { length } = name.trim();
  if (length === 0) return `Enter a ${word} to tell your ${many} apart.`;
  return length > KEY_LABEL_CHARS_MAX
    ? `Use at most ${KEY_LABEL_CHARS_MAX} characters. This ${word} has ${length}.`
    : undefined;
}

export const NameField = (props: {
  of: Named;
  name: string;
  /** Whether it says what is wrong. */
  isChecked: boolean;
  onName: (name: string) => void;
}) => (
  <TextInput
    autoComplete="off"
    spellCheck={false}
    label={props.of.word === "label" ? "Label" : "Name"}
    description={props.of.hint}
    value={props.name}
    error={props.isChecked && nameError(props.name, props.of)}
    data-autofocus
    onChange={(event) => props.onName(event.currentTarget.value)}
  />
);

/** `onRename` sends the new name; `onDone` gets a sentence once it is saved. */
export function RenameDialog(props: {
  of: Named;
  name: string;
  change: SendState;
  onRename: (name: string, then: { onSuccess: () => void }) => void;
  onClose: () => void;
  onDone: (message: string) => void;
}) {
  const { of, name: before } = props;
  const [typed, setTyped] = useState(before);
  const name = typed.trim();
  const { one } = of;
  const done = `${one.charAt(0).toUpperCase()}${one.slice(1)} renamed from “${before}” to “${name}”.`;
  return (
    <FormDialog
      title={`Rename ${one}`}
      change={props.change}
      action={["Save", "Saving"]}
      isValid={nameError(name, of) === undefined}
      onClose={props.onClose}
      onSubmit={() => props.onRename(name, { onSuccess: () => props.onDone(done) })}
    >
      <NameField of={of} name={typed} isChecked onName={setTyped} />
    </FormDialog>
  );
}
