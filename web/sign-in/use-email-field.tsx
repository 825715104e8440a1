import type { UseMutationResult } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure } from "../parts/message.tsx";
import { ProblemDetails } from "../request.ts";
import { checkEmail } from "./check-email.ts";

/**
 * A form that asks for an email address: it is checked before it is sent, and what the service says of it stands at the field. `send`:
 * the mutation; `check`: what the page knows to be wrong with an address.
 */
export function useEmailField(props: {
  email: string;
  onEmail: (email: string) => void;
  send: Pick<UseMutationResult, "error" | "reset">;
  check?: (email: string) => string | undefined;
  onSubmit: (email: string) => void;
}) {
  const { email, send, check = checkEmail } = props;
  const [fault, setFault] = useState<string>();
  const { error } = send;
  const isRejected = error instanceof ProblemDetails && error.code === "INVALID_EMAIL";
  return {
    onSubmit(event: FormEvent<HTMLFormElement>) {
      event.preventDefault();
      const found = check(email);
      setFault(found);
      if (found === undefined) props.onSubmit(email.trim());
      else focusInvalidField(event.currentTarget);
    },
    /** The error of `send`, but for one of the address. */
    failure: error !== null && !isRejected && <Failure error={error} />,
    field: {
      type: "email",
      autoCapitalize: "none",
      spellCheck: false,
      value: email,
      error: fault ?? (isRejected && error.detail),
      onChange(event: FormEvent<HTMLInputElement>) {
        props.onEmail(event.currentTarget.value);
        setFault(undefined);
        if (isRejected) send.reset();
      },
    },
  };
}
