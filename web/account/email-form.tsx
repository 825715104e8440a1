import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useSignInChange } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure, Message } from "../parts/message.tsx";
import { ProblemDetails, request } from "../request.ts";
import { checkEmail } from "../sign-in/check-email.ts";
import { CodeForm } from "../sign-in/code-form.tsx";

const PATH = "/dashboard/account/email";

/** Changes the address of the account: asks for the new one, then for the code that was emailed to it, so that a typo does not lock the user out. */
export function EmailForm({ email }: { email: string }) {
  const start = useSignInChange((email: string) => request<object>("POST", PATH, { email }));
  const confirm = useSignInChange((code: string) =>
    request<{ email: string }>("POST", `${PATH}/code`, { code }),
  );
  const [address, setAddress] = useState("");
  const [fault, setFault] = useState<string>();
  const rejected = start.error instanceof ProblemDetails && start.error.code === "INVALID_EMAIL";
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found =
      address.trim().toLowerCase() === email.toLowerCase()
        ? "This is already your email address. Enter a different one."
        : checkEmail(address);
    setFault(found);
    if (found !== undefined) focusInvalidField(event.currentTarget);
    else start.mutate(address.trim());
  };
  if (confirm.isSuccess) {
    return (
      <Message tone="ok" live title="Your email address is changed.">
        You sign in with {confirm.data.email} from now on. Your other sessions have ended. Your old
        address gets an email with a link that undoes the change for 72 hours.
      </Message>
    );
  }
  if (start.isSuccess) {
    return (
      <div className="tb-account-form">
        <Message tone="soft" live>
          We have sent a code to {start.variables}.
        </Message>
        <CodeForm submit={confirm} label="Change email address" busyLabel="Changing">
          <Button variant="default" size="md" onClick={() => start.reset()}>
            Back
          </Button>
        </CodeForm>
      </div>
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
        error={fault ?? (rejected && (start.error as ProblemDetails).detail)}
        onChange={(event) => {
          setAddress(event.currentTarget.value);
          setFault(undefined);
          if (rejected) start.reset();
        }}
      />
      {start.isError && !rejected && <Failure error={start.error} />}
      <BusyButton type="submit" variant="default" busy={start.isPending} busyLabel="Sending">
        Change email address
      </BusyButton>
    </form>
  );
}
