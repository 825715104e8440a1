/** So many questions are on the way to a deployed service at once. */
const AT_ONCE = 8;

/** What comes of each item, in the items' order, with some of them under way at once. */
export async function* eachAtOnce<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  act: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = act(item);
      // What fails is told when its turn comes, not as an error that nobody waits for.
      result.catch(() => {});
      underWay.push(result);
      if (underWay.length >= AT_ONCE) yield await (underWay.shift() as Promise<Result>);
    }
    while (underWay.length > 0) yield await (underWay.shift() as Promise<Result>);
  } finally {
    // Nothing is left running behind the back of whoever stops.
    await Promise.allSettled(underWay);
  }
}

export function* chunksOf<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let chunk: Item[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
