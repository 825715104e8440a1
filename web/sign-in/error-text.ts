export const PASSWORD_MIN = 10;
export const PASSWORD_MAX = 128;

/** What is wrong with a field, as a sentence for the person who fills it in; undefined where nothing is. */
export type Check = (value: string) => string | undefined;

/** Only what certainly is no address: whether it is one, the letter shows. */
export const checkEmail: Check = (value) => {
  const email = value.trim();
  if (email === "") return "Enter your e-mail address.";
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
    return "This is not a complete e-mail address. Write it like name@example.com.";
  }
  return undefined;
};

/** Any password at sign-in: the rules of today do not bind those of yesterday. */
export const checkPassword: Check = (value) => (value === "" ? "Enter your password." : undefined);

export const checkNewPassword: Check = (value) => {
  if (value === "") return "Choose a password.";
  if (value.length < PASSWORD_MIN) {
    return `The password is too short. Use at least ${PASSWORD_MIN} characters.`;
  }
  if (value.length > PASSWORD_MAX) {
    return `The password is too long. Use at most ${PASSWORD_MAX} characters.`;
  }
  return undefined;
};
