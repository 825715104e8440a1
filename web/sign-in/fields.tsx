import { Button, PasswordInput, Text, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { NEW_PASSWORD_HINT } from "./field-checks.ts";

type Field = { value: string; error: string | undefined; onChange: (value: string) => void };

/** Screen readers announce the error of a field at once, also where the field has the focus already. */
const READ_OUT = { role: "alert" };

/** `suggestsPasskeys`: browsers offer passkeys among the suggestions of the field. */
export const EmailField = ({
  value,
  error,
  onChange,
  suggestsPasskeys = false,
}: Field & { suggestsPasskeys?: boolean }) => (
  <TextInput
    id="email"
    name="email"
    type="email"
    label="Email address"
    autoComplete={suggestsPasskeys ? "email webauthn" : "email"}
    inputMode="email"
    autoCapitalize="none"
    spellCheck={false}
    size="md"
    value={value}
    error={error}
    errorProps={READ_OUT}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

/** `autoComplete` lets password managers fill it in. Pasting is allowed. */
export const PasswordField = ({
  value,
  error,
  onChange,
  isNew,
  label,
}: Field & { isNew: boolean; label: string }) => (
  <ShowablePassword
    value={value}
    error={error}
    onChange={onChange}
    label={label}
    autoComplete={isNew ? "new-password" : "current-password"}
    description={isNew ? NEW_PASSWORD_HINT : undefined}
  />
);

function ShowablePassword({
  value,
  error,
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
      error={error}
      errorProps={READ_OUT}
      onChange={(event) => onChange(event.currentTarget.value)}
      visible={shown}
      onVisibilityChange={setShown}
      aria-invalid={error !== undefined}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{
        "aria-label": shown ? "Hide password" : "Show password",
      }}
    />
  );
}

const SLOW_AFTER_MS = 4_000;

/** Stays focusable while the request is pending, so that keyboard users keep their place. */
export function SubmitButton({
  busy,
  label,
  busyLabel,
}: {
  busy: boolean;
  label: string;
  busyLabel: string;
}) {
  const slow = useIsSlow(busy);
  return (
    <div>
      <Button type="submit" size="md" fullWidth aria-busy={busy} aria-disabled={busy}>
        {busy ? busyLabel : label}
      </Button>
      <Text role="status" size="sm" c="dimmed" mt={slow ? "xs" : 0}>
        {slow ? "This is taking longer than usual. Please wait a moment." : ""}
      </Text>
    </div>
  );
}

function useIsSlow(busy: boolean): boolean {
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
