import { type KeyboardEvent, type ToggleEvent, useEffect, useId, useRef, useState } from "react";
import "./action-menu.css";
import { Icon } from "./icon.tsx";

export type Action = { name: string; tone?: "bad"; onChoose: () => void };

/** In pixels: the space between the button and the menu, and the height of the longest menu. */
const GAP = 4;
const HEIGHT_MAX = 240;

/**
 * A button that opens a menu with the actions of a record. The keys are those of the ARIA Authoring Practices (menu button);
 * the menu is a popover, so the browser closes it on Escape and on a click outside.
 */
export function ActionMenu({ label, actions }: { label: string; actions: Action[] }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);

  useEffect(() => {
    if (!isOpen) return;
    menu.current?.querySelector<HTMLElement>("button")?.focus({ preventScroll: true });
    // The menu does not move with the button.
    const hide = () => menu.current?.hidePopover();
    addEventListener("scroll", hide, { capture: true });
    addEventListener("resize", hide);
    return () => {
      removeEventListener("scroll", hide, { capture: true });
      removeEventListener("resize", hide);
    };
  }, [isOpen]);

  const place = ({ newState }: ToggleEvent<HTMLDivElement>) => {
    if (newState !== "open" || button.current === null || menu.current === null) return;
    // Safari does not focus a clicked button, and the focus returns to the element that had it before.
    button.current.focus({ preventScroll: true });
    const { top, bottom, right } = button.current.getBoundingClientRect();
    const { clientHeight, clientWidth } = document.documentElement;
    const isBelow = bottom + HEIGHT_MAX < clientHeight || top < HEIGHT_MAX;
    const { style } = menu.current;
    style.right = `${clientWidth - right}px`;
    style.top = isBelow ? `${bottom + GAP}px` : "auto";
    style.bottom = isBelow ? "auto" : `${clientHeight - top + GAP}px`;
  };
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const items = [...event.currentTarget.querySelectorAll("button")];
    const at = items.findIndex((item) => item.matches(":focus"));
    if (event.key === "Tab") return menu.current?.hidePopover();
    const next = nextItem(event.key, at, items.length);
    if (next === null) return;
    event.preventDefault();
    items[next]?.focus();
  };
  const choose = (action: Action) => {
    menu.current?.hidePopover();
    // A dialog that the action opens returns the focus to the button.
    button.current?.focus();
    action.onChoose();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="tb-action-button"
        popoverTarget={id}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          if (!isOpen) menu.current?.showPopover();
        }}
      >
        <Icon name="dots" />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className="tb-action-menu"
        onBeforeToggle={place}
        onToggle={({ newState }) => setOpen(newState === "open")}
        onKeyDown={move}
      >
        {actions.map((action) => (
          <button
            key={action.name}
            type="button"
            role="menuitem"
            tabIndex={-1}
            data-tone={action.tone}
            onClick={() => choose(action)}
          >
            {action.name}
          </button>
        ))}
      </div>
    </>
  );
}

function nextItem(key: string, at: number, count: number): number | null {
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at + count - 1) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}
