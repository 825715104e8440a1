/** Parts whose methods fail, wait or die where a test says so. */

/** The same part, whose methods run within `around`. */
export const wrapMethods = <Part extends object>(
  part: Part,
  around: (act: () => Promise<unknown>) => Promise<unknown>,
): Part =>
  new Proxy(part, {
    get(target, name) {
      const own = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      return (...given: unknown[]) => around(async () => own.apply(target, given));
    },
  });

export class Broken extends Error {}

/** `left`: orders until one breaks, before or after it is carried out. `forGood`: all later ones break too. */
export type Break = { left: number; after: boolean; forGood: boolean };

export const breaking = <Part extends object>(part: Part, fault: Break | null): Part =>
  fault === null
    ? part
    : wrapMethods(part, async (act) => {
        fault.left -= 1;
        if (fault.left < 0 && fault.forGood) throw new Broken();
        if (fault.left === 0 && !fault.after) throw new Broken();
        const outcome = await act();
        if (fault.left === 0) throw new Broken();
        return outcome;
      });
