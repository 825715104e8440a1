import { useRouterState } from "@tanstack/react-router";
import { safeNext } from "../base.ts";

/** One value of the address, as text. */
export function useSearchText(name: string): string {
  const search = useRouterState({ select: ({ location }) => location.searchStr });
  return new URLSearchParams(search).get(name) ?? "";
}

/** Where to go after signing in: a path of these pages. */
export const useNext = (): string => safeNext(useSearchText("next"));
