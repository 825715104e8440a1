import { PasswordInput, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { PersonView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/busy-button.tsx";
import { Failure } from "../parts/failure.tsx";
import { focusFault } from "../parts/focus-fault.ts";
import { LedgerEvent } from "../parts/message.tsx";
import { Section } from "../parts/section.tsx";
import { useChangePassword } from "../queries.ts";
import { checkNewPassword, PASSWORD_MIN } from "../sign-in/error-text.ts";
import { useRequestReset } from "../sign-in/requests.ts";

export function PasswordPart({ person }: { person: PersonView }) {
  return (
    <Section title="Password">
      {person.hasPassword ? (
        <PasswordForm email={person.email} />
      ) : (
        <SetPassword email={person.email} />
      )}
    </Section>
  );
}

/** Without a password there is none to ask for: the letter proves that the address is theirs. */
function SetPassword({ email }: { email: string }) {
  const request = useRequestReset();
  if (request.isSuccess) {
    return (
      <LedgerEvent tone="ok" live title="Check your mail.">
        Open the link in the letter to {email} to set a password.
      </LedgerEvent>
    );
  }
  return (
    <div className="tb-account-form">
      <Text c="dimmed" size="sm">
        Your account has no password: you sign in with a linked sign-in. You can set one as well.
      </Text>
      {request.isError && <Failure error={request.error} />}
      <div>
        <BusyButton
          variant="default"
          busy={request.isPending}
          busyWords="Sending"
          onClick={() => request.mutate(email)}
        >
          Send me a letter to set one
        </BusyButton>
      </div>
    </div>
  );
}

type Faults = { current?: string | undefined; next?: string | undefined };

function PasswordForm({ email }: { email: string }) {
  const change = useChangePassword();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [faults, setFaults] = useState<Faults>({});
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (change.isPending) return;
    const found: Faults = {
      current: current === "" ? "Enter your current password." : undefined,
      next: checkNewPassword(next),
    };
    setFaults(found);
    if (found.current !== undefined || found.next !== undefined) {
      return focusFault(event.currentTarget);
    }
    const order = { currentPassword: current, newPassword: next };
    change.mutate(order, {
      onSuccess: () => {
        setCurrent("");
        setNext("");
      },
    });
  };
  return (
    <form className="tb-account-form" noValidate onSubmit={submit}>
      {/* Password managers learn by it whose password this is. */}
      <input type="hidden" autoComplete="username" value={email} />
      <Secret
        label="Current password"
        autoComplete="current-password"
        value={current}
        fault={faults.current}
        onChange={setCurrent}
      />
      <Secret
        label="New password"
        description={`At least ${PASSWORD_MIN} characters. A few words in a row do well.`}
        autoComplete="new-password"
        value={next}
        fault={faults.next}
        onChange={setNext}
      />
      <Text c="dimmed" size="sm">
        All your other sessions end: you stay signed in here, and sign in again everywhere else.
      </Text>
      {change.isError && <Failure error={change.error} />}
      {change.isSuccess && next === "" && (
        <LedgerEvent tone="ok" live>
          Your password is changed, and your other sessions have ended.
        </LedgerEvent>
      )}
      <BusyButton type="submit" variant="default" busy={change.isPending} busyWords="Changing">
        Change password
      </BusyButton>
    </form>
  );
}

/** A password field of a form on this page; there are several, so none has a fixed id. */
export function Secret(props: {
  label: string;
  description?: string;
  autoComplete: "current-password" | "new-password";
  value: string;
  fault: string | undefined;
  onChange: (value: string) => void;
}) {
  const { fault, onChange, ...others } = props;
  const [shown, setShown] = useState(false);
  return (
    <PasswordInput
      {...others}
      error={fault}
      // Mantine marks only what stands around the field.
      aria-invalid={fault !== undefined}
      visible={shown}
      onVisibilityChange={setShown}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{
        "aria-label": `${shown ? "Hide" : "Show"}: ${props.label}`,
      }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
