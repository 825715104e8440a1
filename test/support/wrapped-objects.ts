/** Durable Objects whose stubs a test wraps, wherever they are. */
import type { ObjectNamespace } from "#stores/durable-object/objects.ts";

export const wrappedObjects = <Stub, Wrapped>(
  objects: ObjectNamespace<Stub>,
  wrap: (stub: Stub) => Wrapped,
): ObjectNamespace<Wrapped> => ({
  getByName: (...asked) => wrap(objects.getByName(...asked)),
  jurisdiction: (name) => wrappedObjects(objects.jurisdiction(name), wrap),
});
