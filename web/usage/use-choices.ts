import { useNavigate, useSearch } from "@tanstack/react-router";
import { type Change, type Choices, readChoices, withChange } from "./choices.ts";

export function useChoices(now: number): [Choices, (change: Change) => void] {
  const search = useSearch({ strict: false }) as Change;
  const navigate = useNavigate();
  const choose = (change: Change) =>
    void navigate({ to: "/usage", search: withChange(search, change) as never, replace: true });
  return [readChoices(search, now), choose];
}
