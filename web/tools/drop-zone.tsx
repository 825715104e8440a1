import { useEffect, useEffectEvent, useState } from "react";
import { createPortal } from "react-dom";
import { Icon } from "../parts/icon.tsx";

/**
 * Takes a file that is dropped anywhere on the page. Without it, a file that is dropped beside a field replaces the page, and
 * the input with it.
 */
export function DropZone({
  label,
  onDrop,
}: {
  /** What happens to the file, such as `Drop to hash this file`; null where the tool takes none. */
  label: string | null;
  onDrop(file: File): void;
}) {
  const [isOver, setOver] = useState(false);
  const drop = useEffectEvent(onDrop);
  useEffect(() => {
    // Each element under the pointer is entered and left by itself; none is left when the counts agree.
    let entered = 0;
    const stop = () => {
      entered = 0;
      setOver(false);
    };
    const listen = (type: string, handle: (event: DragEvent) => void) => {
      const listener = (event: Event) => {
        const drag = event as DragEvent;
        if (drag.dataTransfer?.types.includes("Files")) handle(drag);
      };
      addEventListener(type, listener);
      return () => removeEventListener(type, listener);
    };
    const ends = [
      listen("dragenter", (event) => {
        event.preventDefault();
        entered += 1;
        setOver(true);
      }),
      listen("dragleave", () => {
        entered -= 1;
        if (entered <= 0) stop();
      }),
      listen("dragover", (event) => {
        event.preventDefault();
        if (event.dataTransfer !== null) {
          event.dataTransfer.dropEffect = label === null ? "none" : "copy";
        }
      }),
      listen("drop", (event) => {
        event.preventDefault();
        stop();
        const [file] = event.dataTransfer?.files ?? [];
        if (file !== undefined && label !== null) drop(file);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [label]);
  if (!isOver) return null;
  return createPortal(
    <div className="play-drop" aria-hidden="true">
      <p>
        {label !== null && <Icon name="upload" />}
        {label ?? "This tool takes no file"}
      </p>
    </div>,
    document.fullscreenElement ?? document.body,
  );
}
