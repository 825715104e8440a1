import { TextInput } from "@mantine/core";

/** A code of an authenticator app, or a recovery code. Browsers offer codes from text messages and password managers. */
export function CodeField(props: {
  kind: "totp" | "recovery";
  value: string;
  error: string | undefined;
  onChange: (code: string) => void;
}) {
  const isTotp = props.kind === "totp";
  return (
    <TextInput
      id="code"
      label={isTotp ? "Code of your authenticator app" : "Recovery code"}
      description={
        isTotp ? "6 digits. A new one appears every 30 seconds." : "Each recovery code works once."
      }
      placeholder={isTotp ? "123456" : "xxxxx-xxxxx"}
      autoComplete={isTotp ? "one-time-code" : "off"}
      inputMode={isTotp ? "numeric" : "text"}
      autoCapitalize="none"
      spellCheck={false}
      value={props.value}
      error={props.error}
      data-autofocus
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}
