import { LANGUAGE_KEY, readStored, store } from "../shell/storage.ts";

type Group = { choices: Map<string, HTMLInputElement>; blocks: Map<string, HTMLElement> };

/**
 * Makes tabs of code blocks in several languages. Without this script all blocks are shown, one after the other. A choice
 * holds for every group on the page that has the language, and for the pages that are opened later.
 */
export function createLanguageTabs(page: Document): void {
  const groups = [...page.querySelectorAll<HTMLElement>(".tabs")].map(createGroup);
  const choose = (language: string) => {
    for (const { choices, blocks } of groups) {
      const choice = choices.get(language);
      if (choice === undefined) continue;
      choice.checked = true;
      for (const [name, block] of blocks) block.hidden = name !== language;
    }
  };
  for (const { choices } of groups) {
    for (const [language, choice] of choices) {
      choice.addEventListener("change", () => {
        choose(language);
        store(LANGUAGE_KEY, language);
      });
    }
    const [first] = choices.keys();
    if (first !== undefined) choose(first);
  }
  const stored = readStored(LANGUAGE_KEY);
  if (stored !== null) choose(stored);
}

/** Radio buttons: they are named, reached and changed with the keyboard as browsers do it. */
function createGroup(group: HTMLElement, index: number): Group {
  const choices = new Map<string, HTMLInputElement>();
  const blocks = new Map<string, HTMLElement>();
  const fieldset = document.createElement("fieldset");
  const legend = document.createElement("legend");
  legend.textContent = `Language of example ${index + 1}`;
  fieldset.append(legend);
  for (const block of group.querySelectorAll<HTMLElement>("figure[data-language]")) {
    const language = block.dataset["language"] ?? "";
    const label = document.createElement("label");
    const choice = document.createElement("input");
    choice.type = "radio";
    choice.name = `language-${index}`;
    choice.value = language;
    label.append(choice, block.querySelector("figcaption span")?.textContent ?? language);
    fieldset.append(label);
    choices.set(language, choice);
    blocks.set(language, block);
  }
  group.prepend(fieldset);
  return { choices, blocks };
}
