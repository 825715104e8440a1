import { useEffect, useRef } from "react";
import { Alert } from "../parts/alert.tsx";
import { explain } from "../parts/message.tsx";
import { OfflineError, ProblemDetails } from "../request.ts";

/**
 * A summary of the errors, above the form; each one links to its field. It takes the focus after every failed attempt, so
 * that it is seen and read out.
 */
export function Problems({
  fieldErrors,
  error,
  attempt,
}: {
  fieldErrors: Record<string, string | undefined>;
  error: unknown;
  attempt: number;
}) {
  const alert = useRef<HTMLDivElement>(null);
  const list = Object.entries(fieldErrors);
  const shown = list.length > 0 || error !== null;
  useEffect(() => {
    if (attempt > 0) alert.current?.focus();
  }, [attempt]);
  if (!shown) return null;
  return (
    <Alert
      ref={alert}
      tabIndex={-1}
      role="alert"
      color="red"
      className="tb-problems"
      title={list.length > 0 ? "Check your entries" : explain(error).title}
    >
      {list.length > 0 ? (
        <ul>
          {list.map(([id, text]) => (
            <li key={id}>
              <a className="tb-problem" href={`#${id}`} onClick={(event) => focusField(event, id)}>
                {text}
              </a>
            </li>
          ))}
        </ul>
      ) : (
        <ErrorText error={error} />
      )}
    </Alert>
  );
}

const ErrorText = ({ error }: { error: unknown }) => (
  <>
    {error instanceof OfflineError
      ? "The server did not respond. Check your connection, then try again."
      : explain(error).detail}
    {error instanceof ProblemDetails && error.status >= 500 && error.requestId !== null && (
      <>
        {" "}
        Request ID: <code>{error.requestId}</code>
      </>
    )}
  </>
);

function focusField(event: { preventDefault(): void }, id: string) {
  event.preventDefault();
  document.getElementById(id)?.focus();
}
