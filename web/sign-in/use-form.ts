import { type FormEvent, useEffect, useRef, useState } from "react";
import { drawnText, resumeDrawnForm } from "./drawn-form.ts";
import type { Check } from "./field-checks.ts";
import { emailProblemOf, passwordProblemOf } from "./field-problems.ts";

type Texts<Name extends string> = Record<Name, string>;
export type FieldErrors<Name extends string> = Partial<Record<Name, string>>;

/**
 * The state of a form. Fields are checked on the first submit and from then on at every change. A submit is ignored while
 * an earlier one is pending. If the service rejects the address or the password, its reason is shown at the field until that changes.
 */
export function useForm<Name extends string>(
  checks: Record<Name, Check>,
  send: (texts: Texts<Name>) => Promise<unknown>,
  start: Partial<Texts<Name>> = {},
) {
  const names = Object.keys(checks) as Name[];
  const [texts, setTexts] = useState(
    () =>
      Object.fromEntries(
        names.map((name) => [name, drawnText(name) || (start[name] ?? "")]),
      ) as Texts<Name>,
  );
  const [checked, setChecked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [rejected, setRejected] = useState<{ name: Name; text: string; reason: string } | null>(
    null,
  );
  const [attempt, setAttempt] = useState(0);
  const sending = useRef(false);

  useEffect(resumeDrawnForm, []);

  const fieldErrors: FieldErrors<Name> = checked ? fieldErrorsOf(names, checks, texts) : {};
  if (rejected !== null && texts[rejected.name] === rejected.text) {
    fieldErrors[rejected.name] = rejected.reason;
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (sending.current) return;
    setChecked(true);
    setError(null);
    setAttempt((before) => before + 1);
    if (Object.keys(fieldErrorsOf(names, checks, texts)).length > 0) return;
    sending.current = true;
    setBusy(true);
    try {
      await send(texts);
    } catch (cause) {
      const rejection = rejectionOf(cause, names);
      if (rejection === null) setError(cause);
      else setRejected({ ...rejection, text: texts[rejection.name] });
      setAttempt((before) => before + 1);
    } finally {
      sending.current = false;
      setBusy(false);
    }
  }

  const field = (name: Name) => ({
    value: texts[name],
    error: fieldErrors[name],
    onChange: (value: string) => setTexts((before) => ({ ...before, [name]: value })),
  });
  return { texts, field, fieldErrors, error, attempt, busy, submit };
}

/** The field that the service rejects, if the form has it. */
function rejectionOf<Name extends string>(cause: unknown, names: Name[]) {
  const problems = { email: emailProblemOf(cause), password: passwordProblemOf(cause) };
  for (const name of names) {
    const reason = Object.hasOwn(problems, name) && problems[name as "email" | "password"];
    if (reason) return { name, reason };
  }
  return null;
}

function fieldErrorsOf<Name extends string>(
  names: Name[],
  checks: Record<Name, Check>,
  texts: Texts<Name>,
): FieldErrors<Name> {
  const fieldErrors: FieldErrors<Name> = {};
  for (const name of names) {
    const error = checks[name](texts[name]);
    if (error !== undefined) fieldErrors[name] = error;
  }
  return fieldErrors;
}
