import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useId, useState } from "react";
import type { RequestsView } from "#api/dashboard/shapes.ts";
import { ERRORS } from "#errors.ts";
import { useKeys } from "../member-queries.ts";
import { KeySelect, ToolSelect } from "../parts/filters.tsx";
import { PLAIN_INPUT } from "../parts/plain-input.ts";
import { RangeForm } from "../parts/range-form.tsx";
import {
  CLEARED,
  ERROR_CODES,
  ERROR_STATUSES,
  type Filters,
  idIn,
  isFiltered,
  rangeError,
  type Search,
  SPANS,
} from "./filters.ts";

type Props = {
  search: Search;
  filters: Filters;
  /** The keys that the list names; the others are loaded. */
  keys: Map<string, RequestsView["keys"][number]>;
  onChoose: (change: Search) => void;
};

export function FilterBar({ filters, keys, onChoose }: Props) {
  // Before a custom period is shown, it is not in the URL.
  const [isChoosing, setChoosing] = useState(false);
  const isCustom = isChoosing || filters.span === "custom";
  // On narrow screens the filters other than the id are behind a button.
  const [isExpanded, setExpanded] = useState(false);
  const chosen =
    [filters.tool, filters.key, filters.status ?? filters.code].filter((value) => value !== null)
      .length + (filters.span === "all" ? 0 : 1);
  const id = useId();
  const others = (useKeys().data?.keys ?? []).filter((key) => !keys.has(key.id));
  return (
    <search className="tb-log-filters" aria-label="Requests">
      {/* A new value in the URL replaces what was typed. */}
      <IdField key={filters.id} id={filters.id} onChoose={onChoose} />
      <Button
        className="tb-log-more"
        variant="default"
        aria-expanded={isExpanded}
        aria-controls={id}
        onClick={() => setExpanded(!isExpanded)}
      >
        {chosen === 0 ? "Filters" : `Filters (${chosen})`}
      </Button>
      <div id={id} className="tb-log-selects" data-open={isExpanded}>
        <ToolSelect chosen={filters.tool} onChoose={(tool) => onChoose({ tool })} />
        <KeySelect
          keys={[...keys.values(), ...others]}
          chosen={filters.key}
          onChoose={(key) => onChoose({ key })}
        />
        <StatusSelect filters={filters} onChoose={onChoose} />
        <NativeSelect
          label="Time"
          value={isCustom ? "custom" : filters.span}
          data={[
            { value: "all", label: "Any time" },
            ...Object.entries(SPANS).map(([value, { title }]) => ({ value, label: title })),
            { value: "custom", label: "Custom" },
          ]}
          onChange={(event) => {
            const span = event.currentTarget.value;
            setChoosing(span === "custom");
            if (span !== "custom") onChoose({ span });
          }}
        />
      </div>
      {isCustom && (
        <RangeForm
          type="datetime-local"
          labels={["From (UTC)", "To (UTC)"]}
          start={{ from: filters.from, to: filters.to }}
          check={rangeError}
          onChoose={(range) => {
            setChoosing(false);
            onChoose(range);
          }}
        />
      )}
      {isFiltered(filters) && (
        <Button
          className="tb-log-clear"
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            setChoosing(false);
            onChoose(CLEARED);
          }}
        >
          Clear filters
        </Button>
      )}
    </search>
  );
}

function IdField({ id, onChoose }: { id: string | null; onChoose: Props["onChoose"] }) {
  const [text, setText] = useState(id ?? "");
  const [isWrong, setWrong] = useState(false);
  const choose = (value: string) => {
    const found = idIn(value);
    setText(found ?? value);
    setWrong(found === null);
    if (found !== null && found !== (id ?? "")) onChoose({ id: found });
  };
  return (
    <form
      className="tb-log-id"
      onSubmit={(event) => {
        event.preventDefault();
        choose(text);
      }}
    >
      <TextInput
        type="search"
        label="Request ID"
        placeholder="Paste an ID, such as req_…"
        {...PLAIN_INPUT}
        value={text}
        error={isWrong && "This cannot be a request ID."}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setText(value);
          setWrong(false);
          // Emptying the field shows everything again; anything else waits for Enter.
          if (value === "") choose("");
        }}
        onPaste={(event) => {
          event.preventDefault();
          choose(event.clipboardData.getData("text"));
        }}
      />
    </form>
  );
}

/** One field for status and code, because a code has one status. */
function StatusSelect({ filters, onChoose }: Pick<Props, "filters" | "onChoose">) {
  const { status, code } = filters;
  const codesOf = (each: number) => ERROR_CODES.filter((name) => ERRORS[name].status === each);
  return (
    <NativeSelect
      label="Status"
      value={code === null ? `status:${status ?? ""}` : `code:${code}`}
      data={[
        { value: "status:", label: "All" },
        { value: "status:ok", label: "Successful" },
        { value: "status:errors", label: "All errors" },
        ...ERROR_STATUSES.map((each) => ({
          group: String(each),
          items: [
            // A status with one code needs no entry of its own, unless the URL names it.
            ...(codesOf(each).length > 1 || status === String(each)
              ? [{ value: `status:${each}`, label: `All ${each}` }]
              : []),
            ...codesOf(each).map((name) => ({ value: `code:${name}`, label: `${each} ${name}` })),
          ],
        })),
      ]}
      onChange={(event) => {
        const [kind, value = ""] = event.currentTarget.value.split(":");
        onChoose(kind === "code" ? { code: value, status: "" } : { status: value, code: "" });
      }}
    />
  );
}
