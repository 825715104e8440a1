import { AUTH_PATH } from "#accounts/auth-options.ts";

/**
 * How many requests of each kind the dashboard's thread may have at once: those to sign in, which a flood consists of, leave room for
 * the others.
 */
export const REQUESTS_MAX = { "sign-in": 250, other: 250, operator: 50 } as const;
export type RequestKind = keyof typeof REQUESTS_MAX;

export const kindOf = ({ url }: Pick<Request, "url">): RequestKind =>
  new URL(url).pathname.startsWith(`${AUTH_PATH}/`) ? "sign-in" : "other";
