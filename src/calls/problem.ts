import type { ProblemError } from "#errors.ts";

/**
 * Problem details (RFC 9457) with the members that every error of the service has: `ok`, `code` and `requestId`.
 * `docsUrl`: the page that documents the codes; null if there is none.
 */
export function problemBody(
  problem: ProblemError,
  requestId: string,
  docsUrl: string | null,
): Record<string, unknown> {
  const { code, status, title, details } = problem;
  return {
    ok: false,
    type: docsUrl === null ? "about:blank" : `${docsUrl}#${code}`,
    title,
    status,
    code,
    detail: problem.message,
    requestId,
    ...details.members,
    ...(details.errors === undefined ? {} : { errors: details.errors }),
  };
}

/** The methods that a path allows, for its 405: whatever answers GET answers HEAD too. */
export const allowedMethods = (methods: readonly string[]): string[] =>
  methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));

export const errorDocsUrl = (publicUrl: string): string => `${publicUrl}/docs/errors`;

/** A problem as a response, for an app whose codes have no documentation page. */
export function problemResponse(
  problem: ProblemError,
  requestId: string,
  accept: string | null,
): Response {
  const headers = { ...problem.details.headers, "Content-Type": problemType(accept) };
  const body = JSON.stringify(problemBody(problem, requestId, null));
  return new Response(body, { status: problem.status, headers });
}

/** `application/json` only for a client that accepts it by name and does not accept problem details by name. */
export function problemType(accept: string | null): string {
  const parts = accept?.toLowerCase().split(",") ?? [];
  const accepts = (type: string) =>
    parts.some((part) => {
      const [name, ...parameters] = part.split(";").map((text) => text.trim());
      return name === type && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    });
  return accepts("application/json") && !accepts("application/problem+json")
    ? "application/json"
    : "application/problem+json";
}
