import { DAY_MS, EXPIRY_NOTICE_DAYS } from "#limits.ts";

/** What statements about grants have in common, whatever the database. */

/** `nextEventAt` of an end. */
export function lookAtSql(end: string, now: string): string {
  const ahead = EXPIRY_NOTICE_DAYS.map((days) => `${end} - ${days * DAY_MS}`);
  const cases = [...ahead, end].map((at) => `WHEN ${at} > ${now} THEN ${at}`);
  return `CASE ${cases.join(" ")} END`;
}

/** Whether an account is on the lifetime plan. */
export const onPlanSql = (accountNo: string) => `EXISTS (SELECT 1 FROM credit_grant
  WHERE account_no = ${accountNo} AND kind = 'lifetime' AND withdrawn < amount)`;
