/** Texts that phones read from QR codes as more than text. Each escapes what its format reserves. */

export type WifiNetwork = {
  name: string;
  password: string;
  security: "WPA" | "WEP" | "nopass";
  hidden: boolean;
};

/**
 * A Wi-Fi network, in the syntax of ZXing that Android and iOS read (WPA3 networks in transition mode too, as `WPA`). Backslash,
 * semicolon, comma, colon and quotation mark are escaped. A value that is all hex digits is quoted, or readers take it for hex.
 */
export function wifiText({ name, password, security, hidden }: WifiNetwork): string {
  const parts = [`T:${security}`, `S:${wifiValue(name)}`];
  if (security !== "nopass") parts.push(`P:${wifiValue(password)}`);
  if (hidden) parts.push("H:true");
  return `WIFI:${parts.join(";")};;`;
}

function wifiValue(text: string): string {
  const escaped = text.replace(/[\\;,:"]/g, "\\$&");
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? `"${escaped}"` : escaped;
}

export type Contact = {
  givenName: string;
  familyName: string;
  organization: string;
  phone: string;
  email: string;
  website: string;
};

/** A contact as vCard 3.0 (RFC 2426), which phones read more widely than 4.0. Lines end with CR LF. */
export function vCardText(contact: Contact): string {
  const { givenName, familyName, organization, phone, email, website } = contact;
  const value = (text: string) => text.replace(/[\\;,]/g, "\\$&").replace(/\r\n|\r|\n/g, "\\n");
  // The phone number and addresses are written as they are, but for what would end the line.
  const plain = (text: string) => text.replace(/[\r\n]+/g, " ").trim();
  const fullName = [givenName, familyName].filter((part) => part !== "").join(" ") || organization;
  const lines = [
    `N:${value(familyName)};${value(givenName)};;;`,
    `FN:${value(fullName)}`,
    ...(organization === "" ? [] : [`ORG:${value(organization)}`]),
    ...(phone === "" ? [] : [`TEL;TYPE=CELL:${plain(phone)}`]),
    ...(email === "" ? [] : [`EMAIL:${value(plain(email))}`]),
    ...(website === "" ? [] : [`URL:${plain(website)}`]),
  ];
  return `${["BEGIN:VCARD", "VERSION:3.0", ...lines, "END:VCARD"].join("\r\n")}\r\n`;
}

/** A contact as MeCard, which is shorter than a vCard and so makes a smaller code. */
export function meCardText(contact: Contact): string {
  const { givenName, familyName, organization, phone, email, website } = contact;
  const value = (text: string) => text.replace(/[\r\n]+/g, " ").replace(/[\\;,:"]/g, "\\$&");
  const name = [familyName, givenName]
    .filter((part) => part !== "")
    .map(value)
    .join(",");
  const parts = [
    `N:${name}`,
    ...(organization === "" ? [] : [`ORG:${value(organization)}`]),
    ...(phone === "" ? [] : [`TEL:${value(phone)}`]),
    ...(email === "" ? [] : [`EMAIL:${value(email)}`]),
    ...(website === "" ? [] : [`URL:${value(website)}`]),
  ];
  return `MECARD:${parts.join(";")};;`;
}

export type Email = { to: string; subject: string; body: string };

/** An email as a `mailto` URL (RFC 6068). Line ends are CR LF there. */
export function emailText({ to, subject, body }: Email): string {
  const address = to
    .split(",")
    .map((part) => encodeURIComponent(part.trim()).replaceAll("%40", "@"))
    .join(",");
  const fields = [
    ...(subject === "" ? [] : [`subject=${encodeURIComponent(subject)}`]),
    ...(body === "" ? [] : [`body=${encodeURIComponent(body.replace(/\r\n|\r|\n/g, "\r\n"))}`]),
  ];
  return `mailto:${address}${fields.length === 0 ? "" : `?${fields.join("&")}`}`;
}

/** A phone number as a `tel` URL (RFC 3966), without the spaces and brackets that people write. */
export function phoneText(number: string): string {
  const digits = number.replace(/[^\d+*#,;pw]/gi, "").replace(/(?!^)\+/g, "");
  return `tel:${digits.replaceAll("#", "%23")}`;
}

/**
 * A URL as it is written, with `https://` before it where it names no scheme. A number after the colon is a port, as in
 * `localhost:3000`, but for the schemes whose addresses are numbers.
 */
export function urlText(url: string): string {
  const text = url.trim();
  if (text === "") return "";
  const hasScheme = /^(?:(?:tel|sms|geo):|[a-z][a-z\d+.-]*:(?!\d))/i.test(text);
  const whole = hasScheme ? text : `https://${text}`;
  // White space and characters outside ASCII are written as URLs write them; the rest stays as it was typed.
  return URL.canParse(whole) ? new URL(whole).href : whole;
}

export const urlFault = (text: string): string | undefined =>
  URL.canParse(urlText(text))
    ? undefined
    : "This is not a URL: check it for spaces and mistyped characters. It is written as in https://example.com/menu.";

/** Lengths in bytes: IEEE 802.11 has at most 32 for a name. */
export function networkNameFault(text: string): string | undefined {
  const { length } = new TextEncoder().encode(text);
  return length <= 32 ? undefined : `A network name has at most 32 bytes; this has ${length}.`;
}

/** Passphrases have 8 to 63 characters; 64 hex digits are the key itself. */
export function wpaPasswordFault(text: string): string | undefined {
  const { length } = [...text];
  return (length >= 8 && length <= 63) || /^[0-9a-f]{64}$/i.test(text)
    ? undefined
    : `A WPA password has 8 to 63 characters; this has ${length}.`;
}

export const recipientsFault = (text: string): string | undefined =>
  text.split(",").every((part) => /^[^\s@]+@[^\s@]+$/.test(part.trim()))
    ? undefined
    : "Write an email address, as in ada@example.com. A comma separates several.";

/** As for text messages, and the keys and pauses that phones dial. */
export const phoneFault = (text: string): string | undefined =>
  numberFault(text.replace(/[*#,;]/g, "")) === undefined
    ? undefined
    : "Write a phone number in digits, with + and the code of the country, as in +49 30 1234567.";

export type TextMessage = { number: string; message: string };

/** A text message. Cameras of phones read `SMSTO:`, with the text as it is; `sms:` URLs (RFC 5724) lose it on some. */
export function smsText({ number, message }: TextMessage): string {
  const digits = number.replace(/[^\d+*#]/g, "").replace(/(?!^)\+/g, "");
  return `SMSTO:${digits}${message === "" ? "" : `:${message}`}`;
}

export const numberFault = (text: string): string | undefined =>
  /^[+\d\s()./-]+$/.test(text.trim()) && /\d/.test(text) && !/.\+/.test(text.trim())
    ? undefined
    : "Write a phone number in digits, with + and the code of the country, as in +49 30 1234567.";

export type Place = { latitude: string; longitude: string; altitude: string };

/** A place as a `geo` URL (RFC 5870), in degrees of WGS 84. */
export function geoText({ latitude, longitude, altitude }: Place): string {
  return `geo:${[latitude, longitude, altitude].flatMap((text) => numberOf(text) ?? []).join(",")}`;
}

/** In the grammar of the RFC: a decimal point, no plus sign, no exponent and no negative zero. */
function numberOf(text: string): string | undefined {
  const [, minus = "", whole = "", decimals = ""] =
    /^([+-]?)0*(\d+)(?:[.,](\d{1,12}))?°?$/.exec(text.trim().replace(/^−/, "-")) ?? [];
  if (whole === "") return undefined;
  const number = decimals === "" ? whole : `${whole}.${decimals}`;
  return minus === "-" && Number(number) !== 0 ? `-${number}` : number;
}

export const degreesFault =
  (most: 90 | 180) =>
  (text: string): string | undefined => {
    const number = numberOf(text);
    return number !== undefined && Math.abs(Number(number)) <= most
      ? undefined
      : `A decimal number from -${most} to ${most}, as in ${most === 90 ? "52.5163" : "13.3777"}; ${most === 90 ? "south" : "west"} is negative.`;
  };

export const metersFault = (text: string): string | undefined =>
  numberOf(text) === undefined ? "A number of meters, as in 35." : undefined;
