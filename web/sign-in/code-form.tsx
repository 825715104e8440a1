import { TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { BusyButton } from "../parts/buttons.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure } from "../parts/message.tsx";
import { ProblemDetails } from "../request.ts";

const DIGITS = 8;
/** Spaces and hyphens may stand between the digits. */
const digitsOf = (text: string): string => text.replace(/[\s-]/g, "");

/** Why the code does not sign in stands at the field. */
const codeProblemOf = (error: unknown): string | undefined =>
  error instanceof ProblemDetails &&
  ["wrong_code", "attempt_ended", "passkey_required"].includes(error.code)
    ? error.detail
    : undefined;

/**
 * A field for the code of an email. A complete code is sent without a press of the button. `submit` is a mutation that takes the
 * code; `children` stand beside the button.
 */
export function CodeForm({
  submit,
  label,
  busyLabel,
  children,
}: {
  submit: { isPending: boolean; error: unknown; mutate: (code: string) => void; reset: () => void };
  label: string;
  busyLabel: string;
  children?: ReactNode;
}) {
  const [text, setText] = useState("");
  const [isIncomplete, setIncomplete] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const rejection = codeProblemOf(submit.error);
  const send = (code: string) => {
    if (!submit.isPending) submit.mutate(code);
  };
  useEffect(() => {
    if (rejection !== undefined && form.current !== null) focusInvalidField(form.current);
  }, [rejection]);
  const change = (typed: string) => {
    setText(typed);
    setIncomplete(false);
    // The result of a code that was sent must not be lost.
    if (!submit.isPending) submit.reset();
    const code = digitsOf(typed);
    if (/^\d{8}$/.test(code) && code !== digitsOf(text)) send(code);
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = digitsOf(text);
    setIncomplete(code.length !== DIGITS);
    if (code.length === DIGITS) send(code);
    else focusInvalidField(event.currentTarget);
  };
  return (
    <form ref={form} noValidate className="tb-code-form" onSubmit={onSubmit}>
      <TextInput
        id="code"
        size="md"
        label="Code"
        description={`${DIGITS} digits, valid for 10 minutes.`}
        autoComplete="one-time-code"
        inputMode="numeric"
        spellCheck={false}
        autoFocus
        data-autofocus
        value={text}
        error={isIncomplete ? `Enter the ${DIGITS} digits of the code.` : rejection}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {submit.error !== null && rejection === undefined && <Failure error={submit.error} />}
      <div className="tb-code-buttons">
        {children}
        <BusyButton type="submit" size="md" busy={submit.isPending} busyLabel={busyLabel}>
          {label}
        </BusyButton>
      </div>
    </form>
  );
}
