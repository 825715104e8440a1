import { type FunctionComponent, Suspense, useEffect, useState } from "react";
import { Message } from "./message.tsx";

/** How a dialog closes. `onDone` gets a sentence about what was done. */
export type DialogEnds = { onClose: () => void; onDone: (message: string) => void };

/** Of `screenOf`. `open`: which dialog it is, and of what. */
type LoadedDialog<Open> = FunctionComponent<DialogEnds & { open: Open }> & {
  preload: () => Promise<void>;
};

/**
 * The dialogs of a list, of which one may be open, and the message about what was done. They are loaded after the list, before a user
 * can have chosen an action. `isPart`: the list is a part of a page, so they are loaded when one is opened, and the focus stays there.
 */
export function useDialog<Open>(Dialog: LoadedDialog<Open>, { isPart = false } = {}) {
  const [open, setOpen] = useState<Open | null>(null);
  const [message, setMessage] = useState<string | null>(null);
  useEffect(() => void (isPart || Dialog.preload()), [Dialog, isPart]);
  // What had the focus, such as the row of a changed key, may have moved or disappeared.
  useEffect(() => {
    if (message !== null && !isPart) document.querySelector<HTMLElement>("main h1")?.focus();
  }, [message, isPart]);
  return {
    show(next: Open) {
      setMessage(null);
      setOpen(next);
    },
    status: (
      <div role="status" className="tb-status">
        {message !== null && <Message tone="ok">{message}</Message>}
      </div>
    ),
    dialog: open !== null && (
      <Suspense>
        <Dialog
          open={open}
          onClose={() => setOpen(null)}
          onDone={(done) => {
            setOpen(null);
            setMessage(done);
          }}
        />
      </Suspense>
    ),
  };
}
