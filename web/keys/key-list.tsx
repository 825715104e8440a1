import { Button, VisuallyHidden } from "@mantine/core";
import { Fragment } from "react";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { ActionMenu } from "../parts/action-menu.tsx";
import { counted, formatNumber, longDay } from "../parts/numbers.ts";
import { type Column, Records } from "../parts/records.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import type { KeyDialogName } from "./key-dialog.tsx";
import { limitPhrases, stateOf } from "./key-text.ts";

const label: Column<KeyView> = {
  head: "Key",
  cell: (key) => (
    <>
      {key.label}
      <code className="tb-key-start tb-key-minor">{key.start}…</code>
    </>
  ),
};
const lastUsed: Column<KeyView> = {
  head: "Last used",
  cell: ({ lastUsedAt, createdAt }) => (
    <>
      {lastUsedAt === null ? "Never" : <Time at={lastUsedAt} />}
      <span className="tb-key-minor">Created {longDay(createdAt)}</span>
    </>
  ),
};

type Open = (dialog: KeyDialogName, key: KeyView) => void;

const activeColumns = (now: number, onOpen: Open): Column<KeyView>[] => [
  label,
  {
    head: "Limits",
    inCard: "plain",
    cell: ({ limits }) => <Limits phrases={limitPhrases(limits, now)} />,
  },
  lastUsed,
  {
    head: "Calls (24 h)",
    cell: ({ callsLastDay }) => (callsLastDay === null ? "Counting" : formatNumber(callsLastDay)),
    numeric: true,
  },
  { head: "State", cell: (key) => <KeyStateCell apiKey={key} now={now} onOpen={onOpen} /> },
];

/** A phrase moves to the next line as a whole. */
const Limits = ({ phrases }: { phrases: string[] }) => (
  <span className="tb-key-limits">
    {phrases.length === 0 && "No limits"}
    {phrases.map((phrase, index) => (
      <Fragment key={phrase}>
        <span>{index < phrases.length - 1 ? `${phrase}\u00a0·` : phrase}</span>{" "}
      </Fragment>
    ))}
  </span>
);

function KeyStateCell(props: { apiKey: KeyView; now: number; onOpen: Open }) {
  const { apiKey, now, onOpen } = props;
  const { shape, tone, name, details } = stateOf(apiKey, now);
  return (
    <>
      <State shape={shape} tone={tone}>
        {name}
      </State>
      {details.map((detail) => (
        <span key={detail} className="tb-key-detail">
          {detail}
        </span>
      ))}
      {name === "Unused" && (
        <Button
          mt={6}
          size="compact-sm"
          variant="default"
          c="var(--tb-bad)"
          onClick={() => onOpen("revoke", apiKey)}
        >
          Revoke<VisuallyHidden>&nbsp;{apiKey.label}</VisuallyHidden>
        </Button>
      )}
    </>
  );
}

const REVOKED: Column<KeyView>[] = [
  label,
  lastUsed,
  { head: "Revoked", cell: ({ revokedAt }) => revokedAt !== null && <Time at={revokedAt} /> },
  {
    head: "State",
    cell: () => (
      <State shape="cross" tone="soft">
        Revoked
      </State>
    ),
  },
];

/** The table is beside the navigation, and its texts wrap badly below this width. */
const NARROW = "(max-width: 68.74em)";

export function ActiveKeys({ keys, onOpen }: { keys: KeyView[]; onOpen: Open }) {
  const now = Date.now();
  return (
    <Records
      label="API keys"
      columns={activeColumns(now, onOpen)}
      rows={keys}
      narrow={NARROW}
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
