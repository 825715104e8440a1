import { DAY_MS, HOUR_MS } from "#limits.ts";
import { ASKED_PER_DAY_MAX, ASKED_PER_HOUR_MAX, NOTICES_PER_RECIPIENT_MAX } from "#mail/bounds.ts";
import { groupOf, isAskedFor, roomFor } from "#mail/letter-group.ts";
import type { LetterQueue, TakenLetter, WaitingLetter } from "#mail/letter-queue.ts";
import type { Way } from "#mail/transport.ts";

type Row = TakenLetter & { dueAt: number; leasedUntil: number };

/** The queue of letters in memory: for tests, and for a service whose data does not outlive it. */
export function createMemoryLetters(): LetterQueue {
  const rows = new Map<string, Row>();
  const hasRoom = createRoom(rows);

  const held = (id: string, take: number) => {
    const row = rows.get(id);
    return row?.take === take ? row : undefined;
  };
  const going = (way: Way) => [...rows.values()].filter((row) => way === "smtp" || row.way === way);
  const least = (values: number[]) => (values.length === 0 ? null : Math.min(...values));

  return {
    async add({ letter, now }) {
      if (rows.has(letter.id)) return { outcome: "added" };
      const outcome = hasRoom(letter, now);
      if (outcome === "added") {
        const fresh = { postedAt: now, failures: 0, take: 0, dueAt: now, leasedUntil: 0 };
        rows.set(letter.id, { ...letter, ...fresh });
      }
      return { outcome };
    },
    async take({ now, leaseUntil, max, way }) {
      const due = going(way)
        .filter((row) => row.dueAt <= now)
        .sort((one, other) => one.dueAt - other.dueAt)
        .slice(0, max);
      for (const row of due) {
        row.dueAt = leaseUntil;
        row.leasedUntil = leaseUntil;
        row.take += 1;
      }
      return { letters: due.map(({ dueAt: _, leasedUntil: __, ...letter }) => letter) };
    },
    done: async ({ id }) => ({ found: rows.delete(id) }),
    async later({ id, take, at, failures }) {
      const row = held(id, take);
      if (row === undefined) return { found: false };
      Object.assign(row, { dueAt: at, leasedUntil: 0, failures });
      return { found: true };
    },
    giveUp: async ({ id, take }) => ({
      found: held(id, take) !== undefined && rows.delete(id),
    }),
    nextDue: async ({ way }) => ({ at: least(going(way).map(({ dueAt }) => dueAt)) }),
    count: async ({ way }) => ({
      waiting: going(way).length,
      oldestAt: least(going(way).map(({ postedAt }) => postedAt)),
    }),
  };
}

/** Makes room for a letter, or says why there is none. */
function createRoom(rows: Map<string, Row>) {
  const asked = new Map<string, number[]>();

  function replaces({ to, kind }: WaitingLetter, now: number): boolean {
    const older = [...rows.values()].filter(
      (row) => row.to === to && row.kind === kind && row.leasedUntil <= now,
    );
    for (const { id } of older) rows.delete(id);
    return older.length > 0;
  }

  function countAsked(letter: WaitingLetter, now: number) {
    const name = `${groupOf(letter.kind)} ${letter.to.toLowerCase()}`;
    const times = (asked.get(name) ?? []).filter((at) => at > now - DAY_MS);
    const lastHour = times.filter((at) => at > now - HOUR_MS).length;
    if (lastHour >= ASKED_PER_HOUR_MAX || times.length >= ASKED_PER_DAY_MAX) return "too_often";
    asked.set(name, [...times, now]);
    return "added";
  }

  return (letter: WaitingLetter, now: number) => {
    const isAsked = isAskedFor(letter.kind);
    const group = groupOf(letter.kind);
    if (isAsked && replaces(letter, now)) return "added";
    if (rows.size >= roomFor(letter.kind)) return "queue_full";
    if (isAsked) return countAsked(letter, now);
    let useful = 0;
    for (const { to, kind, usefulUntil } of rows.values())
      if (to === letter.to && groupOf(kind) === group && (usefulUntil ?? Infinity) > now)
        useful += 1;
    return useful >= NOTICES_PER_RECIPIENT_MAX ? "recipient_full" : "added";
  };
}
