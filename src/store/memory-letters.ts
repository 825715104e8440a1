import { LETTERS_PER_RECIPIENT_MAX, LETTERS_WAITING_MAX } from "#mail/bounds.ts";
import type { LetterQueue, TakenLetter } from "#mail/letter-queue.ts";

/** The queue of letters in memory: for tests, and for a service whose data does not outlive it. */
export function createMemoryLetters(): LetterQueue {
  const rows = new Map<string, TakenLetter & { dueAt: number }>();

  const held = (id: string, take: number) => {
    const row = rows.get(id);
    return row?.take === take ? row : undefined;
  };

  const least = (values: number[]) => (values.length === 0 ? null : Math.min(...values));

  return {
    async add({ letter, now }) {
      if (rows.has(letter.id)) return { outcome: "added" };
      if (rows.size >= LETTERS_WAITING_MAX) return { outcome: "queue_full" };
      let useful = 0;
      for (const { to, usefulUntil } of rows.values())
        if (to === letter.to && (usefulUntil ?? Infinity) > now) useful += 1;
      if (useful >= LETTERS_PER_RECIPIENT_MAX) return { outcome: "recipient_full" };
      rows.set(letter.id, { ...letter, postedAt: now, failures: 0, take: 0, dueAt: now });
      return { outcome: "added" };
    },
    async take({ now, leaseUntil, max }) {
      const due = [...rows.values()]
        .filter((row) => row.dueAt <= now)
        .sort((one, other) => one.dueAt - other.dueAt)
        .slice(0, max);
      for (const row of due) {
        row.dueAt = leaseUntil;
        row.take += 1;
      }
      return { letters: due.map(({ dueAt: _, ...letter }) => letter) };
    },
    done: async ({ id }) => ({ found: rows.delete(id) }),
    async later({ id, take, at, failures }) {
      const row = held(id, take);
      if (row === undefined) return { found: false };
      row.dueAt = at;
      row.failures = failures;
      return { found: true };
    },
    giveUp: async ({ id, take }) => ({
      found: held(id, take) !== undefined && rows.delete(id),
    }),
    nextDue: async () => ({ at: least([...rows.values()].map(({ dueAt }) => dueAt)) }),
    count: async () => ({
      waiting: rows.size,
      oldestAt: least([...rows.values()].map(({ postedAt }) => postedAt)),
    }),
  };
}
