import { type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import { useId } from "react";

const CHOICES: readonly [MantineColorScheme, string][] = [
  ["light", "Light"],
  ["dark", "Dark"],
  ["auto", "System"],
];

/** The choice of light, dark or the system's setting. Mantine stores it in this browser. */
export function ColourScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = useId();
  return (
    <fieldset className="tb-choice">
      <legend>Appearance</legend>
      <div>
        {CHOICES.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name={name}
              checked={colorScheme === value}
              onChange={() => setColorScheme(value)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
