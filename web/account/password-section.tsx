import { Button, PasswordInput, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { UserView } from "#api/dashboard/shapes.ts";
import { useChangePassword, useFactorChange, useFactors } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure, Message } from "../parts/message.tsx";
import { Section } from "../parts/section.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { request } from "../request.ts";
import { checkNewPassword, NEW_PASSWORD_HINT } from "../sign-in/field-checks.ts";
import { passwordProblemOf } from "../sign-in/field-problems.ts";
import { providerName } from "../sign-in/providers.tsx";
import { useRequestReset } from "../sign-in/requests.ts";

export function PasswordSection({ user }: { user: UserView }) {
  return (
    <Section beside title="Password">
      {user.hasPassword ? (
        <>
          <PasswordForm email={user.email} />
          <RemovePassword user={user} />
        </>
      ) : (
        <SetPassword email={user.email} />
      )}
    </Section>
  );
}

/** There is no current password to ask for; the link in the email proves that the address is theirs. */
function SetPassword({ email }: { email: string }) {
  const request = useRequestReset();
  if (request.isSuccess) {
    return (
      <Message tone="ok" live title="Check your email.">
        Open the link in the email to {email} to set a password.
      </Message>
    );
  }
  return (
    <div className="tb-account-form">
      <Text c="dimmed" size="sm">
        Your account has no password: you sign in with a passkey or a linked provider. You can add
        one.
      </Text>
      {request.isError && <Failure error={request.error} />}
      <div>
        <BusyButton
          variant="default"
          busy={request.isPending}
          busyLabel="Sending"
          onClick={() => request.mutate(email)}
        >
          Email me a link to set a password
        </BusyButton>
      </div>
    </div>
  );
}

/** Offered to users who can sign in without the password. */
function RemovePassword({ user }: { user: UserView }) {
  const [open, setOpen] = useState(false);
  const passkeys = useFactors().data?.passkeys.length ?? 0;
  const remove = useFactorChange(() => request<object>("DELETE", "/dashboard/factors/password"));
  if (passkeys === 0 && user.providers.length === 0) return null;
  const others = [
    ...(passkeys > 0 ? ["your passkeys"] : []),
    ...user.providers.map((provider) => providerName(provider)),
  ].join(" or ");
  return (
    <>
      <div className="tb-account-actions">
        <Button variant="default" onClick={() => setOpen(true)}>
          Remove password…
        </Button>
      </div>
      {open && (
        <TitledDialog title="Remove your password?" onClose={() => setOpen(false)}>
          <Text>
            You then sign in with {others} only. You can set a password again with the link that we
            send to {user.email}.
          </Text>
          {remove.isError && (
            <div className="tb-dialog-failure">
              <Failure error={remove.error} />
            </div>
          )}
          <div className="tb-dialog-foot">
            <Button variant="default" data-autofocus onClick={() => setOpen(false)}>
              Keep password
            </Button>
            <BusyButton
              color="red"
              busy={remove.isPending}
              busyLabel="Removing"
              onClick={() => remove.mutate(undefined, { onSuccess: () => setOpen(false) })}
            >
              Remove password
            </BusyButton>
          </div>
        </TitledDialog>
      )}
    </>
  );
}

type FieldErrors = { current?: string | undefined; next?: string | undefined };

function PasswordForm({ email }: { email: string }) {
  const change = useChangePassword();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [fieldErrors, setFieldErrors] = useState<FieldErrors>({});
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (change.isPending) return;
    const found: FieldErrors = {
      current: current === "" ? "Enter your current password." : undefined,
      next: checkNewPassword(next),
    };
    setFieldErrors(found);
    if (found.current !== undefined || found.next !== undefined) {
      return focusInvalidField(event.currentTarget);
    }
    const order = { currentPassword: current, newPassword: next };
    change.mutate(order, {
      onError: (error) => setFieldErrors({ next: passwordProblemOf(error) }),
      onSuccess: () => {
        setCurrent("");
        setNext("");
      },
    });
  };
  return (
    <form className="tb-account-form" noValidate onSubmit={submit}>
      {/* Tells password managers which account the password belongs to. */}
      <input type="hidden" autoComplete="username" value={email} />
      <Secret
        label="Current password"
        autoComplete="current-password"
        value={current}
        error={fieldErrors.current}
        onChange={setCurrent}
      />
      <Secret
        label="New password"
        description={NEW_PASSWORD_HINT}
        autoComplete="new-password"
        value={next}
        error={fieldErrors.next}
        onChange={(value) => {
          setNext(value);
          setFieldErrors((before) => ({ ...before, next: undefined }));
        }}
      />
      <Text c="dimmed" size="sm">
        You stay signed in here. All your other sessions end.
      </Text>
      {change.isError && passwordProblemOf(change.error) === undefined && (
        <Failure error={change.error} />
      )}
      {change.isSuccess && next === "" && (
        <Message tone="ok" live>
          Your password was changed and your other sessions ended.
        </Message>
      )}
      <BusyButton type="submit" variant="default" busy={change.isPending} busyLabel="Changing">
        Change password
      </BusyButton>
    </form>
  );
}

/** A password field without a fixed id, because the page has several. */
export function Secret(props: {
  label: string;
  description?: string;
  autoComplete: "current-password" | "new-password";
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const { error, onChange, ...others } = props;
  const [shown, setShown] = useState(false);
  return (
    <PasswordInput
      {...others}
      error={error}
      // Mantine marks only the wrapper of the field.
      aria-invalid={error !== undefined}
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
