const EMAIL_MAX = 254;

/**
 * Returns a sentence about what is wrong with an address, or undefined. Rejects what the service does not take (zod's `email`), and
 * says which part is wrong. The code shows whether the address exists.
 */
export function checkEmail(value: string): string | undefined {
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
  return email.length > EMAIL_MAX
    ? `The address is too long. Use at most ${EMAIL_MAX} characters.`
    : undefined;
}
