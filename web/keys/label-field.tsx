import { Button, Group, TextInput } from "@mantine/core";
import { KEY_LABEL_CHARS_MAX } from "#limits.ts";

/** One for each place where the API is called from, so that each can be revoked alone. */
const SUGGESTIONS = ["production", "staging", "development"];

/** What is wrong with a label; null where it is good. */
export function labelError(label: string): string | null {
  const length = [...label.trim()].length;
  if (length === 0) return "Enter a label: it tells your keys apart.";
  return length > KEY_LABEL_CHARS_MAX
    ? `Use at most ${KEY_LABEL_CHARS_MAX} characters; this label has ${length}.`
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
      description="What will use this key? For example “production”."
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
