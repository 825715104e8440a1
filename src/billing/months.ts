/** So many calendar months later, in UTC: 31 January and one month is the last day of February. */
export function addMonths(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0);
  date.setUTCDate(Math.min(day, new Date(last).getUTCDate()));
  return date.getTime();
}
