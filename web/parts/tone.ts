/** How a state looks. Whatever needs no browser takes them from here. */
export type Tone = "ok" | "warn" | "bad" | "soft";
export type Shape = "check" | "cross" | "clock" | "plus" | "minus" | "back" | "empty";
