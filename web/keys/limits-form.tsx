import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useId } from "react";
import type { BudgetPeriod, KeyLimitsView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { service } from "../page-facts.ts";
import { Checkboxes } from "../parts/checkboxes.tsx";
import { longDay, timeText } from "../parts/numbers.ts";
import { PLAIN_INPUT } from "../parts/plain-input.ts";
import { PERIODS, spentOf } from "./key-text.ts";
import {
  budgetIn,
  EXPIRY_CHOICES,
  type ExpiryChoice,
  hasRate,
  type KeyBounds,
  type LimitErrors,
  type LimitsDraft,
  lastDayOf,
} from "./limits-draft.ts";
import "./limits-form.css";

type Props = {
  draft: LimitsDraft;
  errors: LimitErrors;
  bounds: KeyBounds;
  /** The limits that the key has, to show what its budgets have spent. Undefined: it is a new key. */
  limits?: KeyLimitsView | null;
  now: number;
  onChange: (draft: LimitsDraft) => void;
};

/** The fields of a key's limits, to create a key and to edit it. Every limit is optional. */
export const LimitFields = (props: Props) => (
  <div className="tb-limits">
    <Expiry {...props} />
    <Tools {...props} />
    <Budgets {...props} />
    <Textarea
      label="Allowed networks"
      description="Addresses or networks in CIDR notation, one per line. Leave it empty to allow calls from anywhere."
      placeholder={"203.0.113.7\n2001:db8::/48"}
      minRows={2}
      maxRows={8}
      autosize
      {...PLAIN_INPUT}
      classNames={{ input: "tb-networks" }}
      value={props.draft.networks}
      error={props.errors.networks}
      onChange={(event) => props.onChange({ ...props.draft, networks: event.currentTarget.value })}
    />
    {hasRate(props.bounds) && <Rate {...props} />}
  </div>
);

const EXPIRY_NAMES: Record<ExpiryChoice, string> = {
  none: "Never",
  "30": "In 30 days",
  "90": "In 90 days",
  year: "In a year",
  date: "On a date…",
};

function Expiry({ draft, errors, limits, now, onChange }: Props) {
  const nameOf = (choice: ExpiryChoice) => {
    if (choice === "none" || choice === "date") return EXPIRY_NAMES[choice];
    const day = lastDayOf({ ...draft, expiry: choice }, now) ?? "";
    return `${EXPIRY_NAMES[choice]} (${longDay(day)})`;
  };
  const before = limits?.expiresAt ?? null;
  return (
    <div>
      <NativeSelect
        label="Expires"
        data-autofocus
        value={draft.expiry}
        data={EXPIRY_CHOICES.map((choice) => ({ value: choice, label: nameOf(choice) }))}
        error={draft.expiry === "date" ? undefined : errors.expiry}
        onChange={({ currentTarget: { value } }) => {
          const expiry = EXPIRY_CHOICES.find((choice) => choice === value) ?? "none";
          onChange({ ...draft, expiry });
        }}
      />
      {draft.expiry === "date" && (
        <TextInput
          type="date"
          mt="sm"
          label="Last day (UTC)"
          value={draft.day}
          error={errors.expiry}
          onChange={(event) => onChange({ ...draft, day: event.currentTarget.value })}
        />
      )}
      {draft.expiry !== "none" && (
        <p className="tb-limit-hint">
          {before === null
            ? "The key works until the end of this day in UTC."
            : `It ${before <= now ? "expired" : "expires"} on ${timeText(before)}. A new day counts until its end in UTC.`}
        </p>
      )}
    </div>
  );
}

function Tools({ draft, errors, bounds, onChange }: Props) {
  const id = useId();
  const titles = new Map(service().tools.map(({ name, title }) => [name, title]));
  const choices: [boolean, string][] = [
    [true, "All tools, including future ones"],
    [false, "Only these tools"],
  ];
  return (
    <fieldset className="tb-limit-group">
      <legend>Tools</legend>
      {choices.map(([isEveryTool, name]) => (
        <div key={name} className="tb-option">
          <input
            type="radio"
            name={id}
            id={`${id}-${isEveryTool}`}
            checked={draft.isEveryTool === isEveryTool}
            onChange={() => onChange({ ...draft, isEveryTool })}
          />
          <label htmlFor={`${id}-${isEveryTool}`}>{name}</label>
        </div>
      ))}
      {!draft.isEveryTool && (
        <div className="tb-limit-tools">
          <Checkboxes
            options={bounds.tools.map((tool) => ({
              value: tool,
              label: (
                <>
                  {titles.get(tool) ?? tool} <code>{tool}</code>
                </>
              ),
            }))}
            chosen={draft.tools}
            error={errors.tools}
            onChange={(tools) => onChange({ ...draft, tools })}
          />
        </div>
      )}
    </fieldset>
  );
}

const BUDGET_NAMES: Record<BudgetPeriod, string> = {
  day: "Per day",
  month: "Per month",
  total: "In all",
};

function Budgets(props: Props) {
  const { draft, errors, limits, onChange } = props;
  const id = useId();
  const isFirstBudget =
    limits !== undefined && PERIODS.every((period) => (limits?.budgets[period] ?? null) === null);
  return (
    <fieldset className="tb-limit-group" aria-describedby={id}>
      <legend>Budgets in credits</legend>
      <p id={id} className="tb-limit-hint">
        Calls that would exceed a budget are rejected. Days and months are in UTC.
        {isFirstBudget && " A budget counts calls from the time when you add it."}
      </p>
      <div className="tb-limit-budgets">
        {PERIODS.map((period) => (
          <div key={period}>
            <TextInput
              label={BUDGET_NAMES[period]}
              placeholder="No limit"
              inputMode="numeric"
              autoComplete="off"
              value={draft.budgets[period]}
              error={errors[period]}
              onChange={({ currentTarget: { value } }) =>
                onChange({ ...draft, budgets: { ...draft.budgets, [period]: value } })
              }
            />
            <Spent period={period} {...props} />
          </div>
        ))}
      </div>
    </fieldset>
  );
}

/** What the budget has spent, when it starts again, and whether the typed budget would stop the key until then. */
function Spent({ period, draft, limits, now }: Props & { period: BudgetPeriod }) {
  const budget = limits?.budgets[period] ?? null;
  if (budget === null) return null;
  const { credits, resetsAt } = budget;
  const spent = spentOf(budget, now);
  const typed = budgetIn(draft, period);
  const isReset = resetsAt !== null && resetsAt <= now;
  return (
    <p className="tb-limit-hint" data-stopped={typed !== null && typed <= spent}>
      {formatNumber(spent)} of {formatNumber(credits)} spent.{" "}
      {typed !== null && typed <= spent && "Calls are rejected. "}
      {resetsAt !== null && !isReset && `Resets on ${timeText(resetsAt)}.`}
    </p>
  );
}

function Rate({ draft, errors, bounds: { callsPerSecond }, onChange }: Props) {
  return (
    <TextInput
      label="Calls per second"
      description={
        callsPerSecond === 0
          ? "Short bursts of twice as many calls are allowed."
          : `Below your account's limit of ${counted(callsPerSecond, "call")} per second. Short bursts of twice as many are allowed.`
      }
      placeholder={callsPerSecond === 0 ? "No limit" : "As the account"}
      inputMode="numeric"
      autoComplete="off"
      classNames={{ wrapper: "tb-limit-short" }}
      value={draft.rate}
      error={errors.rate}
      onChange={(event) => onChange({ ...draft, rate: event.currentTarget.value })}
    />
  );
}
