import { useQueryClient } from "@tanstack/react-query";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { queryKeys } from "../queries.ts";

/** Puts a key, as the service has just told it, into the list at once: asking again may fail or take its time. */
export function useKeptKey(): (key: KeyView) => void {
  const client = useQueryClient();
  return (key) =>
    client.setQueryData<{ keys: KeyView[] }>(queryKeys.keys, (list) => {
      if (list === undefined) return list;
      const known = list.keys.some(({ id }) => id === key.id);
      return {
        keys: known
          ? list.keys.map((each) => (each.id === key.id ? key : each))
          : [key, ...list.keys],
      };
    });
}
