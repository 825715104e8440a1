import { Button, VisuallyHidden } from "@mantine/core";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber, longDay } from "../parts/numbers.ts";
import { type Column, Records } from "../parts/records.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";

const label: Column<KeyView> = { head: "Label", cell: (key) => key.label };
const start: Column<KeyView> = {
  head: "Key",
  cell: (key) => <code className="tb-key-start">{key.start}…</code>,
};
const lastUsed: Column<KeyView> = {
  head: "Last used",
  cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : <Time at={lastUsedAt} />),
};

const ACTIVE: Column<KeyView>[] = [
  label,
  start,
  { head: "Created (UTC)", cell: ({ createdAt }) => longDay(createdAt) },
  lastUsed,
  { head: "Calls (24 h)", cell: ({ callsLastDay }) => formatNumber(callsLastDay), numeric: true },
  {
    head: "State",
    cell: () => (
      <State shape="check" tone="ok">
        Active
      </State>
    ),
  },
];

const REVOKED: Column<KeyView>[] = [
  label,
  start,
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

export function ActiveKeys(props: {
  keys: KeyView[];
  onRename: (key: KeyView) => void;
  onRevoke: (key: KeyView) => void;
}) {
  return (
    <Records
      label="API keys"
      columns={ACTIVE}
      rows={props.keys}
      actions={(key) => (
        <>
          <Button size="xs" variant="default" onClick={() => props.onRename(key)}>
            Rename<VisuallyHidden>&nbsp;{key.label}</VisuallyHidden>
          </Button>
          <Button size="xs" variant="default" c="var(--tb-bad)" onClick={() => props.onRevoke(key)}>
            Revoke<VisuallyHidden>&nbsp;{key.label}</VisuallyHidden>
          </Button>
        </>
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
