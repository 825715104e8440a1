import { SIGN_UP_MARK } from "#accounts/sign-up-mark.ts";
import { readCookie, writeCookie } from "./cookies.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * A cookie with the marks of this browser's sign-ups (`sign-up-mark.ts`). Only a browser with the mark of a sign-up keeps its
 * password when it opens the link of the email. The marks grant nothing without that link.
 */
const COOKIE = "sign_up";
const MARKS_MAX = 5;
/** As long as an unverified sign-up is kept. */
const DAYS = 7;

type Place = { publicUrl: string };

export const signUpMarksOf = (request: Request, place: Place): string[] =>
  (readCookie(request, COOKIE, place)?.split(".") ?? [])
    .filter((mark) => SIGN_UP_MARK.test(mark))
    .slice(0, MARKS_MAX);

/** Adds the mark of a sign-up to this browser's. An id that no user has makes a mark that no sign-up has. */
export function markSignUp({ deps, request, cookies }: RequestContext, user: string): void {
  const mark = deps.auth.signUpMark(user);
  const others = signUpMarksOf(request, deps.settings).filter((each) => each !== mark);
  const marks = [mark, ...others].slice(0, MARKS_MAX).join(".");
  cookies.push(writeCookie(COOKIE, marks, DAYS, deps.settings));
}
