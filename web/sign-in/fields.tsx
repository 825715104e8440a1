import { Button, PasswordInput, Text, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { PASSWORD_MIN } from "./error-text.ts";

type Field = { value: string; fault: string | undefined; onChange: (value: string) => void };

export const EmailField = ({ value, fault, onChange }: Field) => (
  <TextInput
    id="email"
    name="email"
    type="email"
    label="E-mail address"
    autoComplete="email"
    inputMode="email"
    autoCapitalize="none"
    spellCheck={false}
    size="md"
    value={value}
    error={fault}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

/** Password managers fill it in by `autoComplete`, and pasting is allowed. */
export const PasswordField = ({
  value,
  fault,
  onChange,
  isNew,
  label,
}: Field & { isNew: boolean; label: string }) => (
  <ShowablePassword
    value={value}
    fault={fault}
    onChange={onChange}
    label={label}
    autoComplete={isNew ? "new-password" : "current-password"}
    description={
      isNew ? `At least ${PASSWORD_MIN} characters. A few words in a row do well.` : undefined
    }
  />
);

function ShowablePassword({
  value,
  fault,
  onChange,
  label,
  autoComplete,
  description,
}: Field & { label: string; autoComplete: string; description: string | undefined }) {
  const [shown, setShown] = useState(false);
  return (
    <PasswordInput
      id="password"
      name="password"
      label={label}
      description={description}
      autoComplete={autoComplete}
      size="md"
      value={value}
      error={fault}
      onChange={(event) => onChange(event.currentTarget.value)}
      visible={shown}
      onVisibilityChange={setShown}
      aria-invalid={fault !== undefined}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{
        "aria-label": shown ? "Hide the password" : "Show the password",
      }}
    />
  );
}

const SLOW_AFTER_MS = 4_000;

/** Stays focusable while the request is on its way, so that the keyboard does not lose its place. */
export function SubmitButton({
  busy,
  words,
  busyWords,
}: {
  busy: boolean;
  words: string;
  busyWords: string;
}) {
  const slow = useSlow(busy);
  return (
    <div>
      <Button type="submit" size="md" fullWidth aria-busy={busy} aria-disabled={busy}>
        {busy ? busyWords : words}
      </Button>
      <Text role="status" size="sm" c="dimmed" mt={slow ? "xs" : 0}>
        {slow ? "This takes longer than usual. Please wait a moment." : ""}
      </Text>
    </div>
  );
}

function useSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [busy]);
  return slow;
}
