import type { KeyView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { ActionMenu } from "../parts/action-menu.tsx";
import { longDay } from "../parts/numbers.ts";
import { type Column, OneLine, Records } from "../parts/records.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import type { KeyDialogName } from "./key-dialog.tsx";
import { limitPhrases, stateOf } from "./key-text.ts";

const label: Column<KeyView> = {
  head: "Key",
  cell: (key) => (
    <>
      <OneLine text={key.label} />
      <code className="tb-key-start tb-key-minor">{key.start}…</code>
    </>
  ),
};
const lastUsed: Column<KeyView> = {
  head: "Last used",
  width: "12rem",
  cell: ({ lastUsedAt, createdAt }) => (
    <>
      {lastUsedAt === null ? "Never" : <Time at={lastUsedAt} />}
      <span className="tb-key-minor">Created {longDay(createdAt)}</span>
    </>
  ),
};

type Open = (dialog: KeyDialogName, key: KeyView) => void;

const activeColumns = (now: number): Column<KeyView>[] => [
  label,
  {
    head: "Limits",
    inCard: "plain",
    drop: "first",
    cell: ({ limits }) => (
      <span className="tb-key-limits tb-two-lines">
        <OneLine text={limitPhrases(limits, now).join(" \u00b7 ") || "No limits"} />
      </span>
    ),
  },
  lastUsed,
  {
    head: "Calls (24 h)",
    cell: ({ callsLastDay }) => (callsLastDay === null ? "Counting" : formatNumber(callsLastDay)),
    numeric: true,
    drop: "second",
    width: "8.75rem",
  },
  { head: "State", width: "14rem", cell: (key) => <KeyStateCell apiKey={key} now={now} /> },
];

function KeyStateCell({ apiKey, now }: { apiKey: KeyView; now: number }) {
  const { details, ...state } = stateOf(apiKey, now);
  return (
    <>
      <State {...state} />
      {details.map((detail) => (
        <span key={detail} className="tb-key-minor tb-two-lines">
          <OneLine text={detail} />
        </span>
      ))}
    </>
  );
}

const REVOKED: Column<KeyView>[] = [
  label,
  lastUsed,
  { head: "Revoked", cell: ({ revokedAt }) => revokedAt !== null && <Time at={revokedAt} /> },
  { head: "State", cell: () => <State shape="cross" tone="soft" title="Revoked" /> },
];

export function ActiveKeys({ keys, onOpen }: { keys: KeyView[]; onOpen: Open }) {
  const now = Date.now();
  return (
    <Records
      label="API keys"
      columns={activeColumns(now)}
      rows={keys}
      actions={(key) => (
        <ActionMenu
          label={`Actions for ${key.label}`}
          actions={[
            { name: "Rename…", onChoose: () => onOpen("rename", key) },
            { name: "Edit limits…", onChoose: () => onOpen("limits", key) },
            { name: "Rotate…", onChoose: () => onOpen("rotate", key) },
            { name: "Revoke…", tone: "bad", onChoose: () => onOpen("revoke", key) },
          ]}
        />
      )}
    />
  );
}

export function RevokedKeys({ keys }: { keys: KeyView[] }) {
  if (keys.length === 0) return null;
  return (
    <details className="tb-revoked">
      <summary>{counted(keys.length, "revoked key")}</summary>
      <Records label="Revoked API keys" columns={REVOKED} rows={keys} />
    </details>
  );
}
