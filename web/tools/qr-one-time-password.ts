/** The key of one-time passwords as an `otpauth` URL, which authenticator apps read from QR codes. */
export type OneTimePassword = {
  type: "totp" | "hotp";
  issuer: string;
  account: string;
  secret: string;
  algorithm: "SHA1" | "SHA256" | "SHA512";
  digits: string;
  period: string;
  counter: string;
};

/** Defaults are left out, because some apps reject parameters that they do not know. */
export function oneTimePasswordText(otp: OneTimePassword): string {
  const [issuer, account] = [otp.issuer.trim(), otp.account.trim()].map(encodeURIComponent);
  const label = issuer === "" ? account : `${issuer}:${account}`;
  const parameters = [
    `secret=${secretOf(otp.secret)}`,
    ...(issuer === "" ? [] : [`issuer=${issuer}`]),
    ...(otp.algorithm === "SHA1" ? [] : [`algorithm=${otp.algorithm}`]),
    ...(otp.digits === "6" ? [] : [`digits=${otp.digits}`]),
  ];
  if (otp.type === "hotp") parameters.push(`counter=${Number(otp.counter)}`);
  else if (otp.period.trim() !== "" && Number(otp.period) !== 30) {
    parameters.push(`period=${Number(otp.period)}`);
  }
  return `otpauth://${otp.type}/${label}?${parameters.join("&")}`;
}

/** Base32 (RFC 4648, section 6) as apps expect it: in uppercase, without padding and what people write between groups. */
const secretOf = (text: string): string =>
  text.replace(/[\s-]/g, "").replace(/=+$/, "").toUpperCase();

export function secretFault(text: string): string | undefined {
  const secret = secretOf(text);
  const wrong = /[^A-Z2-7]/.exec(secret)?.[0];
  if (wrong !== undefined) {
    const advice = "018".includes(wrong) ? ", because they look like O, I and B" : "";
    return `A secret in Base32 has A to Z and 2 to 7 only${advice}; this has “${wrong}”.`;
  }
  return [1, 3, 6].includes(secret.length % 8) || secret === ""
    ? `A secret in Base32 does not have ${secret.length} characters: check whether all of it is there.`
    : undefined;
}

/** Apps divide the label at the colon. */
export const nameFault = (text: string): string | undefined =>
  text.includes(":")
    ? "Leave out the colon: apps use it to divide the issuer from the account."
    : undefined;

export const periodFault = (text: string): string | undefined =>
  /^\d+$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= 3600
    ? undefined
    : "A whole number of seconds from 1 to 3600; nearly all services use 30.";

export const counterFault = (text: string): string | undefined =>
  /^\d{1,15}$/.test(text.trim()) ? undefined : "A whole number, which most services begin at 0.";
