/** A script that gives a page its own clipboard: all pages of a browser share the real one, and tests run side by side. */
export const OWN_CLIPBOARD = `{
  let copied = "";
  const value = {
    readText: async () => copied,
    writeText: async (text) => { copied = text; },
    write: async ([item]) => { copied = await (await item.getType("text/plain")).text(); },
  };
  Object.defineProperty(navigator, "clipboard", { value });
}`;
