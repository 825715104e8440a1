import { WrongUsage } from "./command.ts";

/** What a command takes after its name: words, and options with or without a value. */
export type Argument<Value> = {
  /** As the usage shows it: a word `<email>`, what follows an option `N`; null for an option that has no value. */
  value: string | null;
  isWord: boolean;
  isRequired: boolean;
  /** `name`: the option as it is typed. Throws `WrongUsage` for what cannot be its value. */
  read(text: string | undefined, name: string): Value;
};

const asTyped = (text: string) => text;

export const word = <Value = string>(
  value: string,
  read: (text: string) => Value = asTyped as never,
): Argument<Value> => ({
  ...{ value, isWord: true, isRequired: true, read: (text) => read(text as string) },
});

export const optionalWord = (value: string): Argument<string | undefined> => ({
  ...{ value, isWord: true, isRequired: false, read: (text) => text },
});

export const option = <Value = string>(
  value: string,
  read: (text: string, name: string) => Value = asTyped as never,
): Argument<Value | undefined> => ({
  ...{ value, isWord: false, isRequired: false },
  read: (text, name) => (text === undefined ? undefined : read(text, name)),
});

/** `what`: said after the option's name where it is missing. */
export const requiredOption = <Value = string>(
  value: string,
  what: string,
  read: (text: string, name: string) => Value = asTyped as never,
): Argument<Value> => ({
  ...{ value, isWord: false, isRequired: true },
  read(text, name) {
    if (text === undefined) throw new WrongUsage(`${name} is needed: ${what}`);
    return read(text, name);
  },
});

export const flag: Argument<boolean> = {
  ...{ value: null, isWord: false, isRequired: false, read: (text) => text !== undefined },
};
