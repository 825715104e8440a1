import { useId, useState } from "react";
import { emailText, meCardText, phoneText, urlText, vCardText, wifiText } from "./qr-payloads.ts";
import { Choice } from "./ui.tsx";

type Draft = Record<string, string>;
type Line = { name: string; label: string; type?: string; choices?: [string, string][] };
type Helper = { name: string; label: string; lines: Line[]; write(draft: Draft): string };

const of = (draft: Draft, name: string): string => draft[name] ?? "";

const contactOf = (draft: Draft) => ({
  givenName: of(draft, "givenName"),
  familyName: of(draft, "familyName"),
  organization: of(draft, "organization"),
  phone: of(draft, "phone"),
  email: of(draft, "email"),
  website: of(draft, "website"),
});

const HELPERS: Helper[] = [
  {
    name: "url",
    label: "URL",
    lines: [{ name: "url", label: "URL", type: "url" }],
    write: (draft) => urlText(of(draft, "url")),
  },
  {
    name: "wifi",
    label: "Wi-Fi",
    lines: [
      { name: "name", label: "Network name" },
      {
        name: "security",
        label: "Security",
        choices: [
          ["WPA", "WPA"],
          ["WEP", "WEP"],
          ["nopass", "None"],
        ],
      },
      { name: "password", label: "Password" },
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
      wifiText({
        name: of(draft, "name"),
        password: of(draft, "password"),
        security: (draft["security"] ?? "WPA") as "WPA" | "WEP" | "nopass",
        hidden: draft["hidden"] === "yes",
      }),
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
    write: (draft) =>
      draft["form"] === "mecard" ? meCardText(contactOf(draft)) : vCardText(contactOf(draft)),
  },
  {
    name: "email",
    label: "Email",
    lines: [
      { name: "to", label: "To", type: "email" },
      { name: "subject", label: "Subject" },
      { name: "body", label: "Text" },
    ],
    write: (draft) =>
      emailText({ to: of(draft, "to"), subject: of(draft, "subject"), body: of(draft, "body") }),
  },
  {
    name: "phone",
    label: "Phone",
    lines: [{ name: "number", label: "Number", type: "tel" }],
    write: (draft) => phoneText(of(draft, "number")),
  },
];

/** Forms that write the text of the code: a network, a contact, an email, a number or a URL. */
export function QrPayloadForms({ onText }: { onText(text: string): void }) {
  const [open, setOpen] = useState("text");
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const helper = HELPERS.find(({ name }) => name === open);
  const draft = drafts[open] ?? {};
  return (
    <div className="play-helper">
      <Choice
        legend="Content"
        value={open}
        onChange={setOpen}
        choices={[["text", "Text"], ...HELPERS.map(({ name, label }) => [name, label] as const)]}
      />
      {helper !== undefined && (
        <div className="play-helper-lines">
          {helper.lines
            .filter(({ name }) => name !== "password" || draft["security"] !== "nopass")
            .map((line) => (
              <HelperLine
                key={`${open} ${line.name}`}
                line={line}
                value={draft[line.name] ?? line.choices?.[0]?.[0] ?? ""}
                onChange={(value) => {
                  const next = { ...draft, [line.name]: value };
                  setDrafts({ ...drafts, [open]: next });
                  onText(helper.write(next));
                }}
              />
            ))}
        </div>
      )}
    </div>
  );
}

function HelperLine({
  line: { label, type, choices },
  value,
  onChange,
}: {
  line: Line;
  value: string;
  onChange(value: string): void;
}) {
  const id = useId();
  if (choices !== undefined) {
    return (
      <div className="play-field">
        <Choice legend={label} choices={choices} value={value} onChange={onChange} />
      </div>
    );
  }
  return (
    <div className="play-field">
      <label className="play-label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className="play-input"
        // Not its type: the browser must not reject what is half typed.
        type="text"
        inputMode={type as "url" | "tel" | "email" | undefined}
        value={value}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
