import type { PasskeyView } from "#api/dashboard/shapes.ts";
import { AddPasskeyDialog, RemovePasskeyDialog, RenamePasskeyDialog } from "./passkey-dialogs.tsx";
import { ReplaceRecoveryCodesDialog } from "./recovery-codes.tsx";
import { RemoveTotpDialog, TotpDialog } from "./totp-dialogs.tsx";

/** The dialog that is open. */
export type Open =
  | { kind: "add-passkey" | "add-totp" | "remove-totp" | "replace-codes" }
  | { kind: "rename-passkey" | "remove-passkey"; passkey: PasskeyView };

export default function FactorDialog(props: {
  open: Open;
  onClose: () => void;
  onDone: (message: string) => void;
}) {
  const { open, ...others } = props;
  switch (open.kind) {
    case "add-passkey":
      return <AddPasskeyDialog {...others} />;
    case "rename-passkey":
      return <RenamePasskeyDialog passkey={open.passkey} {...others} />;
    case "remove-passkey":
      return <RemovePasskeyDialog passkey={open.passkey} {...others} />;
    case "add-totp":
      return <TotpDialog {...others} />;
    case "remove-totp":
      return <RemoveTotpDialog {...others} />;
    case "replace-codes":
      return <ReplaceRecoveryCodesDialog {...others} />;
  }
}
