import { CopyButton } from "./copy-button.tsx";

export type Language = "shell" | "javascript" | "python" | "json" | "html" | "text";

/**
 * Code to read and to copy. Long lines wrap: nothing scrolls sideways, so nothing needs a focus of its own.
 * `label` says what it is, for the button and for screen readers.
 */
export function CodeBlock({
  code,
  language,
  label,
}: {
  code: string;
  language: Language;
  label: string;
}) {
  return (
    <figure className="tb-code" aria-label={label}>
      <figcaption>
        <span>{label}</span>
        <CopyButton text={code} label={`Copy: ${label}`} />
      </figcaption>
      <pre>
        <code data-language={language}>{code}</code>
      </pre>
    </figure>
  );
}
