import { Alert } from "@mantine/core";
import { useEffect, useRef } from "react";
import { explain } from "../parts/failure.tsx";
import { Offline, ProblemDetails } from "../request.ts";

/**
 * What kept the form from being sent, on top of it: each fault leads to its field. It takes the focus after each
 * attempt that failed, so that it is read out and seen.
 */
export function Problems({
  faults,
  error,
  attempt,
}: {
  faults: Record<string, string | undefined>;
  error: unknown;
  attempt: number;
}) {
  const alert = useRef<HTMLDivElement>(null);
  const list = Object.entries(faults);
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
      variant="light"
      className="tb-problems"
      title={list.length > 0 ? "Check what you entered" : explain(error).title}
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
    {error instanceof Offline
      ? "No answer came. Check your connection, then send it again."
      : explain(error).detail}
    {error instanceof ProblemDetails && error.status >= 500 && error.requestId !== null && (
      <>
        {" "}
        Request id: <code>{error.requestId}</code>
      </>
    )}
  </>
);

function focusField(event: { preventDefault(): void }, id: string) {
  event.preventDefault();
  document.getElementById(id)?.focus();
}
