/** For what is no prose, such as names and addresses of programs: browsers and password managers must not fill it in or correct it. */
export const PLAIN_INPUT = {
  autoComplete: "off",
  autoCapitalize: "off",
  autoCorrect: "off",
  spellCheck: false,
} as const;
