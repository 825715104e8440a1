/** `2026-11-21 14:05 UTC`. */
export const timeText = (at: number) =>
  `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
