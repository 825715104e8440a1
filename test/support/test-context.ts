/**
 * `test/run.ts` loads this before `node:test`, which finds the test that code belongs to by a hook on each promise: a fifth of the CPU
 * time of tests in process. `AsyncLocalStorage` knows the same without a hook. Where Node has no such hook, nothing is replaced.
 */
import asyncHooks, { AsyncLocalStorage, AsyncResource, type HookCallbacks } from "node:async_hooks";

const { createHook, executionAsyncId } = asyncHooks;
const { runInAsyncScope } = AsyncResource.prototype;
/** The id of the test, suite or hook that is running. */
const running = new AsyncLocalStorage<number>();
/** Keeps a test, by the id under which it is looked up. */
let keep: HookCallbacks["init"];

function createNoHook(callbacks: HookCallbacks) {
  if (!/\btestResources\.set\b/.test(String(callbacks.init))) return createHook(callbacks);
  keep = callbacks.init;
  const none = { enable: () => none, disable: () => none };
  return none;
}

/** Tests, suites and their hooks run in this method. Nothing else that does has subtests. */
function runAsTest(
  this: AsyncResource,
  act: (...given: unknown[]) => unknown,
  self?: unknown,
  ...given: unknown[]
): unknown {
  if (keep === undefined || !("subtests" in this))
    return runInAsyncScope.call(this, act, self, ...given);
  const id = this.asyncId();
  keep(id, "Test", 0, this);
  return runInAsyncScope.call(this, () => running.run(id, () => act.apply(self, given)));
}

Object.assign(AsyncResource.prototype, { runInAsyncScope: runAsTest });
Object.assign(asyncHooks, {
  createHook: createNoHook,
  executionAsyncId: () => running.getStore() ?? executionAsyncId(),
});
