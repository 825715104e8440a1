import { after, type TestContext } from "node:test";

/** Closes after a suite what its `before` opened, the last first. Node's `after` would belong to `before` itself. Call it in the suite. */
export function afterSuite(): Pick<TestContext, "after"> {
  const closings: (() => unknown)[] = [];
  after(async () => {
    for (const close of closings.reverse()) await close();
  });
  return { after: (close) => void closings.push(close as () => unknown) };
}
