import { useEffect, useId, useRef } from "react";
import { CopyButton } from "./code-block.tsx";
import "./secret-field.css";

/**
 * A secret that is shown once. It wraps, so that all of it is seen on a phone too, and it is selected as a whole. It takes the focus
 * when it appears, because what had the focus was removed. `masked` stands for a secret that is not known yet.
 */
export function SecretField(props: {
  label: string;
  secret: string | null;
  masked?: string;
  copyLabel: string;
}) {
  const { secret } = props;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (secret !== null) field.current?.focus();
  }, [secret]);
  return (
    <div className="tb-secret">
      <div>
        <label htmlFor={id}>{props.label}</label>
        <textarea
          ref={field}
          id={id}
          readOnly
          rows={2}
          spellCheck={false}
          data-autofocus={secret === null ? undefined : true}
          value={secret ?? props.masked}
          onFocus={(event) => secret !== null && event.currentTarget.select()}
        />
      </div>
      {secret !== null && <CopyButton copy={secret} name={props.copyLabel} />}
    </div>
  );
}
