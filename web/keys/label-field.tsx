import { Button, Group, TextInput } from "@mantine/core";
import { KEY_LABEL_CHARS_MAX } from "#limits.ts";

/** One key per environment, so that each can be revoked on its own. */
const SUGGESTIONS = ["production", "staging", "development"];

/** Returns a sentence about what is wrong with a label, or null if it is valid. */
export function labelError(label: string): string | null {
  const length = [...label.trim()].length;
  if (length === 0) return "Enter a label to tell your keys apart.";
  return length > KEY_LABEL_CHARS_MAX
    ? `Use at most ${KEY_LABEL_CHARS_MAX} characters. This label has ${length}.`
    : null;
}

export function LabelField(props: {
  value: string;
  error: string | null;
  onChange: (label: string) => void;
}) {
  return (
    <TextInput
      label="Label"
      description="Where you will use this key, such as “production”."
      value={props.value}
      error={props.error}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}

export function LabelSuggestions({ onChoose }: { onChoose: (label: string) => void }) {
  return (
    <Group gap="xs" mt="sm" role="group" aria-label="Suggested labels">
      {SUGGESTIONS.map((label) => (
        <Button key={label} size="xs" variant="default" onClick={() => onChoose(label)}>
          {label}
        </Button>
      ))}
    </Group>
  );
}
