/** Adds sums of debits by hour to those that are there. `source`: a SELECT or VALUES of the columns in this order. */
export const addUsageSql = (source: string): string =>
  `INSERT INTO usage_hour AS u (account_no, hour, key_no, tool, calls, free_calls, credits)
   ${source} ON CONFLICT (account_no, hour, key_no, tool)
   DO UPDATE SET calls = u.calls + excluded.calls,
     free_calls = u.free_calls + excluded.free_calls, credits = u.credits + excluded.credits`;
