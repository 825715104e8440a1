import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { Choice } from "../parts/choice.tsx";
import { PLAIN_INPUT } from "../parts/plain-input.ts";
import {
  amountFault,
  bicFault,
  type CreditTransfer,
  ibanFault,
  lengthFault,
  purposeFault,
  referenceFault,
  TRANSFER_SETTINGS,
  transferFaults,
  transferText,
} from "./qr-credit-transfer.ts";
import {
  counterFault,
  nameFault,
  type OneTimePassword,
  oneTimePasswordText,
  periodFault,
  secretFault,
} from "./qr-one-time-password.ts";
import {
  type Contact,
  degreesFault,
  type Email,
  emailText,
  geoText,
  meCardText,
  metersFault,
  networkNameFault,
  numberFault,
  type Place,
  phoneFault,
  phoneText,
  recipientsFault,
  smsText,
  type TextMessage,
  urlFault,
  urlText,
  vCardText,
  type WifiNetwork,
  wifiText,
  wpaPasswordFault,
} from "./qr-payloads.ts";
import type { FieldValues } from "./tool-fields.ts";
import type { HelperProps } from "./tool-view.ts";

/** What was typed or chosen, by the names of lines. */
type Draft = Record<string, string>;
type Line = {
  name: string;
  label: string;
  type?: string;
  choices?: [string, string][];
  help?: string;
  required?: boolean;
  /** What is wrong with a value that is not empty. */
  check?(value: string, draft: Draft): string | undefined;
  /** Shown only for some values of other lines. */
  shown?(draft: Draft): boolean;
};
/** Its functions get a draft with a value for every line. */
type Helper = {
  name: string;
  label: string;
  lines: Line[];
  write(draft: Draft): string;
  /** What is wrong with lines together, where each is right by itself. */
  faults?(draft: Draft): Record<string, string>;
  /** What is missing, where any of several lines will do. */
  missing?(draft: Draft): string | undefined;
  /** Other fields of the tool that the content needs. */
  settings?: FieldValues;
};

const HELPERS: Helper[] = [
  {
    name: "url",
    label: "URL",
    lines: [{ name: "url", label: "URL", type: "url", required: true, check: urlFault }],
    write: ({ url = "" }) => urlText(url),
  },
  {
    name: "wifi",
    label: "Wi-Fi",
    lines: [
      { name: "name", label: "Network name", required: true, check: networkNameFault },
      {
        name: "security",
        label: "Security",
        choices: [
          ["WPA", "WPA"],
          ["WEP", "WEP"],
          ["nopass", "None"],
        ],
      },
      {
        name: "password",
        label: "Password",
        required: true,
        check: (password, { security }) =>
          security === "WEP" ? undefined : wpaPasswordFault(password),
        shown: ({ security }) => security !== "nopass",
      },
      {
        name: "hidden",
        label: "Hidden network",
        choices: [
          ["no", "No"],
          ["yes", "Yes"],
        ],
      },
    ],
    write: (draft) =>
      wifiText({ ...(draft as Omit<WifiNetwork, "hidden">), hidden: draft["hidden"] === "yes" }),
  },
  {
    name: "contact",
    label: "Contact",
    lines: [
      { name: "givenName", label: "First name" },
      { name: "familyName", label: "Last name" },
      { name: "organization", label: "Organization" },
      { name: "phone", label: "Phone", type: "tel" },
      { name: "email", label: "Email", type: "email" },
      { name: "website", label: "Website", type: "url" },
      {
        name: "form",
        label: "Format",
        choices: [
          ["vcard", "vCard"],
          ["mecard", "MeCard, shorter"],
        ],
      },
    ],
    missing: ({ givenName, familyName, organization }) => {
      const isNamed = [givenName, familyName, organization].some((text) => text?.trim() !== "");
      return isNamed ? undefined : "a name or an organization";
    },
    write: (draft) => (draft["form"] === "mecard" ? meCardText : vCardText)(draft as Contact),
  },
  {
    name: "email",
    label: "Email",
    lines: [
      { name: "to", label: "To", type: "email", required: true, check: recipientsFault },
      { name: "subject", label: "Subject" },
      { name: "body", label: "Text" },
    ],
    write: (draft) => emailText(draft as Email),
  },
  {
    name: "phone",
    label: "Phone",
    lines: [{ name: "number", label: "Number", type: "tel", required: true, check: phoneFault }],
    write: ({ number = "" }) => phoneText(number),
  },
  {
    name: "sms",
    label: "SMS",
    lines: [
      { name: "number", label: "Number", type: "tel", required: true, check: numberFault },
      { name: "message", label: "Text" },
    ],
    write: (draft) => smsText(draft as TextMessage),
  },
  {
    name: "geo",
    label: "Place",
    lines: [
      {
        ...{ name: "latitude", label: "Latitude", type: "decimal", required: true },
        help: "In degrees, as in 52.5163; south is negative.",
        check: degreesFault(90),
      },
      {
        ...{ name: "longitude", label: "Longitude", type: "decimal", required: true },
        help: "In degrees, as in 13.3777; west is negative.",
        check: degreesFault(180),
      },
      {
        ...{ name: "altitude", label: "Altitude", type: "decimal", check: metersFault },
        help: "Optional, in meters.",
      },
    ],
    write: (draft) => geoText(draft as Place),
  },
  {
    name: "transfer",
    label: "SEPA transfer",
    lines: [
      { name: "name", label: "Recipient", required: true, check: lengthFault(70) },
      { name: "iban", label: "IBAN", required: true, check: ibanFault },
      { name: "amount", label: "Amount in euros", type: "decimal", check: amountFault },
      { name: "text", label: "Text", check: lengthFault(140) },
      {
        ...{ name: "reference", label: "Reference", check: referenceFault },
        help: "In place of the text, such as RF18 5390 0754 7034.",
      },
      { name: "bic", label: "BIC", check: bicFault, help: "Only for banks outside the EEA." },
      { name: "purpose", label: "Purpose", check: purposeFault, help: "A code, such as CHAR." },
      { name: "information", label: "Information for the payer", check: lengthFault(70) },
    ],
    write: (draft) => transferText(draft as CreditTransfer),
    faults: (draft) => transferFaults(draft as CreditTransfer),
    settings: TRANSFER_SETTINGS,
  },
  {
    name: "otp",
    label: "One-time passwords",
    lines: [
      {
        name: "type",
        label: "Kind",
        choices: [
          ["totp", "By time"],
          ["hotp", "By counter"],
        ],
      },
      { name: "issuer", label: "Issuer", check: nameFault, help: "The service, such as Example." },
      {
        ...{ name: "account", label: "Account", required: true, check: nameFault },
        help: "Such as ada@example.com.",
      },
      {
        ...{ name: "secret", label: "Secret", required: true, check: secretFault },
        help: "In Base32. Anyone who scans the code has it.",
      },
      {
        name: "algorithm",
        label: "Algorithm",
        choices: [
          ["SHA1", "SHA-1"],
          ["SHA256", "SHA-256"],
          ["SHA512", "SHA-512"],
        ],
      },
      {
        name: "digits",
        label: "Digits",
        choices: [
          ["6", "6"],
          ["8", "8"],
        ],
      },
      {
        ...{ name: "period", label: "Period", type: "numeric", check: periodFault },
        help: "In seconds; 30 if empty.",
        shown: ({ type }) => type === "totp",
      },
      {
        ...{ name: "counter", label: "Counter", type: "numeric", check: counterFault },
        help: "Of the first password; 0 if empty.",
        shown: ({ type }) => type === "hotp",
      },
    ],
    write: (draft) => oneTimePasswordText(draft as OneTimePassword),
  },
];

/** With a value for every line: the first choice, or nothing. */
const filled = ({ lines }: Helper, draft: Draft): Draft => ({
  ...Object.fromEntries(lines.map(({ name, choices }) => [name, choices?.[0]?.[0] ?? ""])),
  ...draft,
});

const shownLines = (helper: Helper, draft: Draft): Line[] =>
  helper.lines.filter(({ shown }) => shown?.(draft) ?? true);

/** What is wrong with a draft. A line that is empty is missing where it is required, and right where it is not. */
function judge(helper: Helper, draft: Draft) {
  const lines = shownLines(helper, draft);
  const typedIn = ({ name }: Line) => draft[name] ?? "";
  const isEmpty = (line: Line) => typedIn(line).trim() === "";
  const faults = lines.flatMap((line) => {
    const fault = isEmpty(line) ? undefined : line.check?.(typedIn(line), draft);
    return fault === undefined ? [] : [[line.name, fault]];
  });
  return {
    faults: (faults.length > 0
      ? Object.fromEntries(faults)
      : (helper.faults?.(draft) ?? {})) as Record<string, string>,
    missing: [
      ...lines.filter((line) => line.required === true && isEmpty(line)).map(({ label }) => label),
      ...[helper.missing?.(draft) ?? []].flat(),
    ],
  };
}

/** Without a code where something is wrong: the code of an earlier draft would be taken for that of this one. */
function textOf(helper: Helper, draft: Draft): string {
  const { faults, missing } = judge(helper, draft);
  return missing.length > 0 || Object.keys(faults).length > 0 ? "" : helper.write(draft);
}

/** Forms that write the text of the code: a network, a contact, a transfer, a place and others. */
export function QrPayloadForms({ values, onChange }: HelperProps) {
  const [open, setOpen] = useState("text");
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const helper = HELPERS.find(({ name }) => name === open);
  const draft = helper === undefined ? {} : filled(helper, drafts[open] ?? {});

  function change(next: string) {
    setOpen(next);
    // What the content needed is not what other contents need. After a reload only the text tells that it was a transfer.
    const isTransfer = String(values["text"] ?? "").startsWith("BCD\n");
    const isReset = helper?.settings !== undefined || isTransfer;
    const free = isReset ? { ...values, eci: "auto" } : values;
    const opened = HELPERS.find(({ name }) => name === next);
    const kept = drafts[next];
    // The code is that of the form that is shown.
    if (opened !== undefined && kept !== undefined) write(opened, kept, free);
    else if (isReset) onChange(free);
  }

  const write = (to: Helper, typed: Draft, before: FieldValues) =>
    onChange({ ...before, ...to.settings, text: textOf(to, filled(to, typed)) });

  return (
    <div className="play-helper">
      <Choice
        legend="Content"
        value={open}
        onChange={change}
        choices={[["text", "Text"], ...HELPERS.map(({ name, label }) => [name, label] as const)]}
      />
      {helper !== undefined && (
        <HelperLines
          key={open}
          helper={helper}
          draft={draft}
          onChange={(next) => {
            setDrafts({ ...drafts, [open]: next });
            write(helper, next, values);
          }}
        />
      )}
    </div>
  );
}

function HelperLines({
  helper,
  draft,
  onChange,
}: {
  helper: Helper;
  draft: Draft;
  onChange(draft: Draft): void;
}) {
  const { faults, missing } = judge(helper, draft);
  return (
    <div className="play-helper-lines">
      {shownLines(helper, draft).map((line) => (
        <HelperLine
          key={line.name}
          line={line}
          value={draft[line.name] ?? ""}
          fault={faults[line.name]}
          onChange={(value) => onChange({ ...draft, [line.name]: value })}
        />
      ))}
      {missing.length > 0 && (
        <Text size="sm" c="dimmed" role="status">
          Still needed for the code: {missing.join(", ")}.
        </Text>
      )}
    </div>
  );
}

function HelperLine({
  line: { label, type, choices, help, required },
  value,
  fault,
  onChange,
}: {
  line: Line;
  value: string;
  fault: string | undefined;
  onChange(value: string): void;
}) {
  return choices !== undefined ? (
    <Choice legend={label} choices={choices} value={value} onChange={onChange} />
  ) : (
    <TextInput
      {...PLAIN_INPUT}
      label={label}
      description={help}
      error={fault}
      inputWrapperOrder={["label", "input", "error", "description"]}
      // Not its type: the browser must not reject what is half typed.
      inputMode={type as "url" | "tel" | "email" | "decimal" | "numeric" | undefined}
      value={value}
      aria-required={required}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
