import { NativeSelect } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { KeyName } from "#api/dashboard/shapes.ts";
import { service } from "../page-facts.ts";
import "./filters.css";

/** The filters of a page, which are its query string, and how to change them: as `withChange` says. */
export function useFilters<Search extends object>(
  to: "/usage" | "/requests" | "/credits",
  withChange: (search: Search, change: Search) => object,
): [Search, (change: Search) => void] {
  const found = useSearch({ strict: false });
  const search = found as unknown as Search;
  const navigate = useNavigate();
  const choose = (change: Search) =>
    void navigate({
      ...{ to, replace: true, resetScroll: false },
      search: withChange(search, change) as never,
    });
  return [search, choose];
}

type Option = { value: string; label: string };

/** A filter of a list: all of it first. What is chosen stays in the options, even if nothing else names it. */
export function FilterSelect(props: {
  label: string;
  all: string;
  options: readonly Option[];
  /** Null or undefined: all. */
  chosen: string | null | undefined;
  /** Gets an empty string for all. */
  onChoose: (value: string) => void;
}) {
  const { label, all, options, onChoose } = props;
  const chosen = props.chosen ?? "";
  const isListed = chosen === "" || options.some(({ value }) => value === chosen);
  return (
    <NativeSelect
      label={label}
      value={chosen}
      data={[
        { value: "", label: all },
        ...options,
        ...(isListed ? [] : [{ value: chosen, label: chosen }]),
      ]}
      onChange={(event) => onChoose(event.currentTarget.value)}
    />
  );
}

type Choice = Pick<Parameters<typeof FilterSelect>[0], "chosen" | "onChoose">;

export const ToolSelect = (props: Choice & { tools?: readonly string[] }) => (
  <FilterSelect
    label="Tool"
    all="All tools"
    options={(props.tools ?? service().tools.map(({ name }) => name)).map((name) => ({
      value: name,
      label: name,
    }))}
    {...props}
  />
);

export const KeySelect = (props: Choice & { keys: readonly KeyName[] }) => (
  <FilterSelect
    label="Key"
    all="All keys"
    options={props.keys.map(({ id, label, start, revokedAt }) => ({
      value: id,
      label: `${label} (${start}…)${revokedAt === null ? "" : ", revoked"}`,
    }))}
    {...props}
  />
);
