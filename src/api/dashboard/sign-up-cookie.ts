import { SIGN_UP_MARK } from "#accounts/sign-up-mark.ts";
import { readCookies, writeCookie } from "./cookies.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Cookies with the marks of this browser's sign-ups (`sign-up-mark.ts`). Only a browser with the mark of a sign-up keeps its password
 * when it opens the link of the email. The marks grant nothing without that link. Each mark has a cookie of its own, so that of
 * several responses to a form that was sent twice, none replaces what another one has set.
 */
const COOKIES = "sign_up_";
const MARKS_MAX = 5;
/** As long as an unverified sign-up is kept. */
const DAYS = 7;

type Place = { publicUrl: string };

/** Browsers send their oldest cookies first (RFC 6265, section 5.4), so the newest marks are last. */
export const signUpMarksOf = (request: Request, place: Place): string[] =>
  readCookies(request, COOKIES, place)
    .filter((mark) => SIGN_UP_MARK.test(mark))
    .slice(-MARKS_MAX);

/** Adds the mark of a sign-up to this browser's. An id that no user has makes a mark that no sign-up has. */
export function markSignUp({ deps, request, cookies }: RequestContext, user: string): void {
  const write = (mark: string, value: string, days: number) =>
    cookies.push(writeCookie(COOKIES + mark.slice(0, 8), value, days, deps.settings));
  const mark = deps.auth.signUpMark(user);
  const others = signUpMarksOf(request, deps.settings).filter((each) => each !== mark);
  for (const oldest of others.slice(0, 1 - MARKS_MAX)) write(oldest, "", 0);
  write(mark, mark, DAYS);
}
