import type { KeyView } from "#api/dashboard/shapes.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { LimitsDialog } from "./limits-dialog.tsx";
import type { KeyBounds } from "./limits-draft.ts";
import { RenameDialog } from "./rename-dialog.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

/** The dialogs of an existing key. */
export type KeyDialogName = "rename" | "limits" | "rotate" | "revoke";
export type OpenKeyDialog = { dialog: "create" } | { dialog: KeyDialogName; key: KeyView };

/** The open dialog of the list of keys. All of them are one chunk, apart from the list. */
export default function KeyDialog(props: {
  open: OpenKeyDialog;
  bounds: KeyBounds;
  onClose: () => void;
  onDone: (message: string) => void;
}) {
  const { open, bounds, onClose, onDone } = props;
  switch (open.dialog) {
    case "create":
      return <CreateDialog bounds={bounds} onClose={onClose} />;
    case "rename":
      return <RenameDialog apiKey={open.key} onClose={onClose} onDone={onDone} />;
    case "limits":
      return <LimitsDialog apiKey={open.key} bounds={bounds} onClose={onClose} onDone={onDone} />;
    case "rotate":
      return <RotateDialog apiKey={open.key} bounds={bounds} onClose={onClose} />;
    case "revoke":
      return <RevokeDialog apiKey={open.key} onClose={onClose} onDone={onDone} />;
  }
}
