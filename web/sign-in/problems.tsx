import { Alert } from "@mantine/core";
import { useEffect, useRef } from "react";
import { explain } from "../parts/message.tsx";
import { OfflineError, ProblemDetails } from "../request.ts";

/**
 * The error of the request, above the form. It takes the focus after a failed attempt, so that it is seen and read out. What is
 * wrong with a field stands at the field, which takes the focus then.
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
  const [field] = Object.keys(fieldErrors);
  // Only an attempt moves the focus: later the field loses its error while the user types in it.
  const wrong = useRef(field);
  wrong.current = field;
  useEffect(() => {
    if (attempt === 0) return;
    if (wrong.current === undefined) alert.current?.focus();
    else document.getElementById(wrong.current)?.focus();
  }, [attempt]);
  if (error === null || field !== undefined) return null;
  return (
    <Alert
      ref={alert}
      tabIndex={-1}
      role="alert"
      color="red"
      variant="light"
      title={explain(error).title}
    >
      <ErrorText error={error} />
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
