import { type FormEvent, useEffect, useRef, useState } from "react";
import { drawnText, resumeDrawnForm } from "./drawn-form.ts";
import { type Check, passwordProblemOf } from "./field-checks.ts";

type Texts<Name extends string> = Record<Name, string>;
export type FieldErrors<Name extends string> = Partial<Record<Name, string>>;

/**
 * The state of a form. Fields are checked on the first submit and from then on at every change. A submit is ignored while
 * an earlier one is pending. If the service rejects the password, its reason is shown at the field until that changes.
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
  const [rejected, setRejected] = useState<{ password: string; reason: string } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const sending = useRef(false);

  useEffect(resumeDrawnForm, []);

  const passwordName = names.find((name) => name === "password");
  const password = passwordName === undefined ? "" : texts[passwordName];
  const fieldErrors: FieldErrors<Name> = checked ? fieldErrorsOf(names, checks, texts) : {};
  if (passwordName !== undefined && rejected?.password === password) {
    fieldErrors[passwordName] = rejected.reason;
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
      const reason = passwordProblemOf(cause);
      if (reason === undefined) setError(cause);
      else setRejected({ password, reason });
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
