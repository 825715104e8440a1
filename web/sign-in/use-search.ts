import { useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import { safeNext } from "../base.ts";

/** One value of the address, as text. */
export function useSearchText(name: string): string {
  const search = useRouterState({ select: ({ location }) => location.searchStr });
  return new URLSearchParams(search).get(name) ?? "";
}

/** Where to go after signing in: a path of these pages. Fixed at first: on the way there the address changes already. */
export function useNext(): string {
  const asked = useSearchText("next");
  const [next] = useState(() => safeNext(asked));
  return next;
}
