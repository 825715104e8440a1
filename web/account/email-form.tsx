import { TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { absoluteUrl } from "../addresses.ts";
import { useChangeEmail } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure, Message } from "../parts/message.tsx";
import { checkEmail } from "../sign-in/field-checks.ts";

/** Requests a change of address. It takes effect after both addresses confirm it, so that a typo cannot lock users out. */
export function EmailForm({ email }: { email: string }) {
  const change = useChangeEmail();
  const [address, setAddress] = useState("");
  const [error, setError] = useState<string | undefined>(undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (change.isPending) return;
    const newEmail = address.trim();
    const found =
      newEmail === email
        ? "This is already your email address. Enter a different one."
        : checkEmail(newEmail);
    setError(found);
    if (found !== undefined) focusInvalidField(event.currentTarget);
    if (found === undefined) {
      change.mutate({ newEmail, callbackURL: absoluteUrl("/settings/account") });
    }
  };
  if (change.isSuccess) {
    return (
      <Message tone="ok" live title="Check your email.">
        We sent an email to {email}. Open its link in this browser, then open the link in the email
        that goes to {address.trim()}. Your address does not change until you have opened both.
      </Message>
    );
  }
  return (
    <form className="tb-account-form" noValidate onSubmit={submit}>
      <TextInput
        type="email"
        label="New email address"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        value={address}
        error={error}
        onChange={(event) => {
          setAddress(event.currentTarget.value);
          setError(undefined);
        }}
      />
      {change.isError && <Failure error={change.error} />}
      <BusyButton type="submit" variant="default" busy={change.isPending} busyLabel="Sending">
        Change email address
      </BusyButton>
    </form>
  );
}
