import { type FunctionComponent, lazy } from "react";
import { ask, Offline } from "../ask.ts";

/** The file of a screen is not there any more: the service has been updated while this page was open. */
export class Outdated extends Error {}

const ASK_AGAIN_MS = 3_000;

type Load = () => Promise<{ default: FunctionComponent }>;

/** A screen that is fetched when it is first needed, or when a link to it is about to be used. */
export function screenOf(load: Load) {
  let fetched: ReturnType<Load> | undefined;
  const fetchOnce = () => {
    fetched ??= fetchPatiently(load).catch((error: unknown) => {
      fetched = undefined;
      throw error;
    });
    return fetched;
  };
  return Object.assign(lazy(fetchOnce), {
    preload: () => fetchOnce().then(() => {}),
  });
}

/** While the service is away it waits, as the banner says; a file that is missing on a service that answers is gone. */
async function fetchPatiently(load: Load): ReturnType<Load> {
  for (let failures = 1; ; failures++) {
    try {
      return await load();
    } catch (error) {
      const answers = await serviceAnswers();
      if (answers && failures > 1)
        throw new Outdated("The screen's file is gone", { cause: error });
      if (!answers) failures = 0;
      await new Promise((done) => setTimeout(done, ASK_AGAIN_MS));
    }
  }
}

const serviceAnswers = (): Promise<boolean> =>
  ask("GET", "/people/visitor").then(
    () => true,
    (error: unknown) => !(error instanceof Offline),
  );
