import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { useSignInChange } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Message } from "../parts/message.tsx";
import { request } from "../request.ts";
import { checkEmail } from "../sign-in/check-email.ts";
import { CodeForm } from "../sign-in/code-form.tsx";
import { useEmailField } from "../sign-in/use-email-field.tsx";

const PATH = "/dashboard/account/email";

/** Changes the address of the account: asks for the new one, then for the code that was emailed to it, so that a typo does not lock the user out. */
export function EmailForm({ email }: { email: string }) {
  const start = useSignInChange((email: string) => request<object>("POST", PATH, { email }));
  const confirm = useSignInChange((code: string) =>
    request<{ email: string }>("POST", `${PATH}/code`, { code }),
  );
  const [address, setAddress] = useState("");
  const { onSubmit, field, failure } = useEmailField({
    ...{ email: address, onEmail: setAddress, send: start },
    check: (typed) =>
      typed.trim().toLowerCase() === email.toLowerCase()
        ? "This is already your email address. Enter a different one."
        : checkEmail(typed),
    onSubmit: (typed) => start.mutate(typed),
  });
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
          <Button
            variant="default"
            size="md"
            onClick={() => {
              confirm.reset();
              start.reset();
            }}
          >
            Back
          </Button>
        </CodeForm>
      </div>
    );
  }
  return (
    <form className="tb-account-form" noValidate onSubmit={onSubmit}>
      <TextInput {...field} label="New email address" autoComplete="email" />
      {failure}
      <BusyButton type="submit" variant="default" busy={start.isPending} busyLabel="Sending">
        Change email address
      </BusyButton>
    </form>
  );
}
