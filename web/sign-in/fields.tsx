import { useEffect, useState } from "react";
import { NEW_PASSWORD_HINT } from "./field-checks.ts";

type Field = { value: string; error: string | undefined; onChange: (value: string) => void };

/**
 * The fields are elements of the browser, not components of Mantine: the server renders the same ones before the code of the page
 * has been loaded (`src/site/sign-in-form.ts`).
 *
 * `suggestsPasskeys`: browsers offer passkeys among the suggestions of the field.
 */
export const EmailField = ({
  value,
  error,
  onChange,
  suggestsPasskeys = false,
}: Field & { suggestsPasskeys?: boolean }) => (
  <div className="tb-field">
    <label htmlFor="email">Email address</label>
    <div className="tb-field-box">
      <input
        id="email"
        name="email"
        type="email"
        autoComplete={suggestsPasskeys ? "email webauthn" : "email"}
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        value={value}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : "email-error"}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
    <FieldError id="email-error" text={error} />
  </div>
);

/** `autoComplete` lets password managers fill it in. Pasting is allowed. */
export function PasswordField({
  value,
  error,
  onChange,
  isNew,
  label,
}: Field & { isNew: boolean; label: string }) {
  const [isShown, setIsShown] = useState(false);
  const described = [isNew ? "password-hint" : [], error === undefined ? [] : "password-error"];
  return (
    <div className="tb-field">
      <label htmlFor="password">{label}</label>
      {isNew && (
        <p className="tb-field-hint" id="password-hint">
          {NEW_PASSWORD_HINT}
        </p>
      )}
      <div className="tb-field-box" data-toggle>
        <input
          id="password"
          name="password"
          type={isShown ? "text" : "password"}
          autoComplete={isNew ? "new-password" : "current-password"}
          value={value}
          aria-invalid={error !== undefined}
          aria-describedby={described.flat().join(" ") || undefined}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <button
          type="button"
          className="tb-field-toggle"
          aria-label={isShown ? "Hide password" : "Show password"}
          onClick={() => setIsShown(!isShown)}
        >
          <EyeIcon isCrossed={isShown} />
        </button>
      </div>
      <FieldError id="password-error" text={error} />
    </div>
  );
}

/** Read out at once, also where the field has the focus already. */
const FieldError = ({ id, text }: { id: string; text: string | undefined }) =>
  text === undefined ? null : (
    <p className="tb-field-error" id={id} role="alert">
      {text}
    </p>
  );

const EyeIcon = ({ isCrossed }: { isCrossed: boolean }) => (
  <svg width="20" height="20" viewBox="0 0 24 24" fill="none" aria-hidden="true">
    <path
      d={`M2.5 12C4.500 8 8 5.750 12 5.750S19.500 8 21.500 12c-2 4-5.500 6.250-9.500 6.250S4.500 16 2.500 12z${isCrossed ? "M4 20 20 4" : ""}`}
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
    <circle cx="12" cy="12" r="2.75" stroke="currentColor" strokeWidth="1.7" />
  </svg>
);

const SLOW_AFTER_MS = 4_000;

/** Stays focusable while the request is pending, so that keyboard users keep their place. */
export function SubmitButton({
  busy,
  label,
  busyLabel,
}: {
  busy: boolean;
  label: string;
  busyLabel: string;
}) {
  const slow = useIsSlow(busy);
  return (
    <div>
      <button type="submit" className="tb-submit" aria-busy={busy} aria-disabled={busy}>
        {busy ? busyLabel : label}
      </button>
      <p role="status" className="tb-field-hint" data-empty={!slow}>
        {slow ? "This is taking longer than usual. Please wait a moment." : ""}
      </p>
    </div>
  );
}

function useIsSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [busy]);
  return slow;
}
