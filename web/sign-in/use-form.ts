import { type FormEvent, useRef, useState } from "react";
import type { Check } from "./error-text.ts";

type Texts<Name extends string> = Record<Name, string>;
export type Faults<Name extends string> = Partial<Record<Name, string>>;

/**
 * A form that is checked when it is sent, and from then on while its faults are mended. It cannot be sent twice:
 * while one request is on its way, another submit is nothing.
 */
export function useForm<Name extends string>(
  checks: Record<Name, Check>,
  send: (texts: Texts<Name>) => Promise<unknown>,
  start: Partial<Texts<Name>> = {},
) {
  const names = Object.keys(checks) as Name[];
  const [texts, setTexts] = useState(
    () => Object.fromEntries(names.map((name) => [name, start[name] ?? ""])) as Texts<Name>,
  );
  const [checked, setChecked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const sending = useRef(false);

  const faults: Faults<Name> = checked ? faultsOf(names, checks, texts) : {};

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (sending.current) return;
    setChecked(true);
    setError(null);
    setAttempt((before) => before + 1);
    if (Object.keys(faultsOf(names, checks, texts)).length > 0) return;
    sending.current = true;
    setBusy(true);
    try {
      await send(texts);
    } catch (cause) {
      setError(cause);
      setAttempt((before) => before + 1);
    } finally {
      sending.current = false;
      setBusy(false);
    }
  }

  const field = (name: Name) => ({
    value: texts[name],
    fault: faults[name],
    onChange: (value: string) => setTexts((before) => ({ ...before, [name]: value })),
  });
  return { texts, field, faults, error, attempt, busy, submit };
}

function faultsOf<Name extends string>(
  names: Name[],
  checks: Record<Name, Check>,
  texts: Texts<Name>,
): Faults<Name> {
  const faults: Faults<Name> = {};
  for (const name of names) {
    const fault = checks[name](texts[name]);
    if (fault !== undefined) faults[name] = fault;
  }
  return faults;
}
