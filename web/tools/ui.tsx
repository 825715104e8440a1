import {
  type ButtonHTMLAttributes,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { writeClipboard } from "../parts/clipboard.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { saveFile } from "../parts/save-file.ts";

/**
 * Small controls with native elements. The playground stands on pages of the documentation too, whose
 * Content-Security-Policy allows no inline styles, so it cannot use Mantine.
 */
export function Button({
  look = "plain",
  icon,
  children,
  ...props
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: "primary" | "plain" | "subtle";
  icon?: IconName;
}) {
  return (
    <button
      type="button"
      {...props}
      className={`play-button ${props.className ?? ""}`}
      data-look={look}
    >
      {icon !== undefined && <Icon name={icon} size={16} />}
      {children}
    </button>
  );
}

const SHOWN_FOR_MS = 2_000;
const FAILED = "Copying failed: select the text instead";

/** Does something that may fail, and says for a moment how it went. */
export function CopyButton({
  copy,
  label = "Copy",
  name,
}: {
  /** The text, or what copies something else. */
  copy: string | (() => Promise<boolean>);
  /** The visible label; the accessible name begins with it. */
  label?: string;
  name?: string;
}) {
  const [said, setSaid] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  async function act() {
    const isCopied = await (typeof copy === "string" ? writeClipboard(copy) : copy());
    setSaid(isCopied ? "Copied" : FAILED);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSaid(""), SHOWN_FOR_MS);
  }
  return (
    <>
      <Button
        look="subtle"
        icon={said === "Copied" ? "check" : "copy"}
        aria-label={name}
        onClick={() => void act()}
      >
        {said === "" ? label : said}
      </Button>
      <span className="play-said" role="status">
        {said}
      </span>
    </>
  );
}

export function DownloadButton({
  content,
  type,
  file,
  label = "Download",
}: {
  content: string | Uint8Array<ArrayBuffer>;
  type: string;
  file: string;
  label?: string;
}) {
  return (
    <Button
      look="subtle"
      icon="download"
      aria-label={`${label} ${file}`}
      onClick={() => saveFile(content, type, file)}
    >
      {label}
    </Button>
  );
}

/** One of a few choices: radio buttons, which browsers already name, reach and change with the keyboard. */
export function Choice<Value extends string>({
  legend,
  hideLegend = false,
  choices,
  value,
  onChange,
  describedBy,
}: {
  legend: ReactNode;
  hideLegend?: boolean;
  choices: readonly (readonly [value: Value, label: string])[];
  value: Value;
  onChange(value: Value): void;
  describedBy?: string | undefined;
}) {
  const group = useId();
  return (
    <fieldset className="play-choice" aria-describedby={describedBy}>
      <legend className={hideLegend ? "play-said" : "play-label"}>{legend}</legend>
      <div>
        {choices.map(([each, label]) => (
          <label key={each}>
            <input
              type="radio"
              name={group}
              value={each}
              checked={each === value}
              onChange={() => onChange(each)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export type Tab<Name extends string> = { name: Name; label: string; content: () => ReactNode };

/** Tabs as the ARIA Authoring Practices describe them: arrow keys move between them, and the panel follows. */
export function Tabs<Name extends string>({
  label,
  tabs,
  open,
  onOpen,
  side,
}: {
  label: string;
  tabs: readonly Tab<NoInfer<Name>>[];
  open: Name;
  onOpen(name: NoInfer<Name>): void;
  side?: ReactNode;
}) {
  const id = useId();
  const row = useRef<HTMLDivElement>(null);
  const at = Math.max(
    0,
    tabs.findIndex(({ name }) => name === open),
  );
  function move(key: string) {
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[key];
    if (to === undefined) return;
    const next = (to + tabs.length) % tabs.length;
    onOpen((tabs[next] as Tab<Name>).name);
    row.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  }
  return (
    <div className="play-tabs">
      <div className="play-tab-row">
        <div role="tablist" aria-label={label} ref={row}>
          {tabs.map(({ name, label: tabLabel }, index) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={index === at}
              aria-controls={`${id}-panel`}
              tabIndex={index === at ? 0 : -1}
              onClick={() => onOpen(name)}
              onKeyDown={(event) => {
                if (["ArrowRight", "ArrowLeft", "Home", "End"].includes(event.key)) {
                  event.preventDefault();
                  move(event.key);
                }
              }}
            >
              {tabLabel}
            </button>
          ))}
        </div>
        {side}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tabs[at]?.name}`}>
        {tabs[at]?.content()}
      </div>
    </div>
  );
}

export function Callout({
  tone,
  title,
  children,
}: {
  tone: "ok" | "bad" | "warn" | "plain";
  title?: string;
  children?: ReactNode;
}) {
  return (
    <div className="play-callout" data-tone={tone}>
      {title !== undefined && <strong>{title}</strong>}
      {children}
    </div>
  );
}
