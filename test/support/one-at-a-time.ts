/** Returns a function that runs what it is given one after the other, in the order in which it was called. */
export function createOneAtATime() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(act: () => Promise<Result>): Promise<Result> => {
    const done = last.then(act, act);
    last = done.catch(() => {});
    return done;
  };
}
