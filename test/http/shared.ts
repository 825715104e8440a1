/**
 * One of what is costly to start, for all tests of a process: it starts when it is first needed and ends with the last who uses it.
 *
 * Hooks of a process run whenever all tests that are declared so far have ended, which may be before the next file of a folder is
 * loaded. So each file holds it for itself, in the same turn in which it declares its tests.
 */
export function createShared<Resource extends { close(): Promise<void> }>(
  start: () => Promise<Resource>,
) {
  let running: Promise<Resource> | undefined;
  let users = 0;
  return {
    hold(): void {
      users += 1;
    },
    get(): Promise<Resource> {
      running ??= start();
      return running;
    },
    async release(): Promise<void> {
      users -= 1;
      if (users > 0 || running === undefined) return;
      const last = running;
      running = undefined;
      await (await last).close();
    },
  };
}
