export const PASSWORD_MIN = 10;
export const PASSWORD_MAX = 128;

export const NEW_PASSWORD_HINT = `At least ${PASSWORD_MIN} characters, such as 3 words.`;

/** Returns a sentence about what is wrong with the value of a field, or undefined if it is valid. */
export type Check = (value: string) => string | undefined;

/**
 * Rejects what the service does not take as an address (zod's `email`), and says which part is wrong. The confirmation email shows
 * whether it exists.
 */
export const checkEmail: Check = (value) => {
  const email = value.trim();
  if (email === "") return "Enter your email address.";
  if (/\s/.test(email)) return "An email address has no spaces. Remove them.";
  const [local = "", domain, ...others] = email.split("@");
  if (domain === undefined || domain === "" || local === "" || others.length > 0)
    return "Enter a complete email address, such as name@example.com.";
  if (!/^(?:[a-z\d][a-z\d-]*\.)+[a-z]{2,}$/i.test(domain))
    return `“${domain}” is not a complete domain. Enter an address such as name@example.com.`;
  if (!/^[\w'+-]+(?:\.[\w'+-]+)*$/.test(local) || local.endsWith("'"))
    return `“${local}” cannot be the part before the @. Use letters, digits, dots and + - _ '.`;
  if (email.length > EMAIL_MAX)
    return `The address is too long. Use at most ${EMAIL_MAX} characters.`;
  return undefined;
};

const EMAIL_MAX = 254;

/** Accepts any existing password, which may be older than the current rules. */
export const checkPassword: Check = (value) => (value === "" ? "Enter your password." : undefined);

export const checkNewPassword: Check = (value) => {
  if (value === "") return "Enter a password.";
  if (value.length < PASSWORD_MIN) {
    return `The password is too short. Use at least ${PASSWORD_MIN} characters.`;
  }
  if (value.length > PASSWORD_MAX) {
    return `The password is too long. Use at most ${PASSWORD_MAX} characters.`;
  }
  return undefined;
};
