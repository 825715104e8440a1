import { TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { addressOf } from "../base.ts";
import { BusyButton } from "../parts/busy-button.tsx";
import { Failure } from "../parts/failure.tsx";
import { focusFault } from "../parts/focus-fault.ts";
import { LedgerEvent } from "../parts/message.tsx";
import { useChangeEmail } from "../queries.ts";
import { checkEmail } from "../sign-in/error-text.ts";

/** Asks for another address. It changes only after letters to both, so that a slip of the hand locks nobody out. */
export function EmailForm({ email }: { email: string }) {
  const change = useChangeEmail();
  const [address, setAddress] = useState("");
  const [fault, setFault] = useState<string | undefined>(undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (change.isPending) return;
    const newEmail = address.trim();
    const found = newEmail === email ? "This is your address already." : checkEmail(newEmail);
    setFault(found);
    if (found !== undefined) focusFault(event.currentTarget);
    if (found === undefined) {
      change.mutate({ newEmail, callbackURL: addressOf("/settings/account") });
    }
  };
  if (change.isSuccess) {
    return (
      <LedgerEvent tone="ok" live title="Check your mail.">
        We sent a letter to {email}. Open its link in this browser, then the one in the letter that
        goes to {address.trim()}. Until then your address stays as it is.
      </LedgerEvent>
    );
  }
  return (
    <form className="tb-account-form" noValidate onSubmit={submit}>
      <TextInput
        type="email"
        label="New e-mail address"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        value={address}
        error={fault}
        onChange={(event) => {
          setAddress(event.currentTarget.value);
          setFault(undefined);
        }}
      />
      {change.isError && <Failure error={change.error} />}
      <BusyButton type="submit" variant="default" busy={change.isPending} busyWords="Sending">
        Change address
      </BusyButton>
    </form>
  );
}
