/** Durable Objects whose stubs a test wraps, wherever they are. */
import type { ObjectNamespace } from "#stores/durable-object/placed-objects.ts";

export const wrappedObjects = <Stub>(
  objects: ObjectNamespace<Stub>,
  wrap: (stub: Stub) => Stub,
): ObjectNamespace<Stub> => ({
  getByName: (...asked) => wrap(objects.getByName(...asked)),
  jurisdiction: (name) => wrappedObjects(objects.jurisdiction(name), wrap),
});
