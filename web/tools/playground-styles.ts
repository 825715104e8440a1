import css from "./playground.css?inline";

/**
 * Applies the styles of the playground. They are part of its script, so it is never drawn without them, no other page loads
 * them, and the Content-Security-Policy of the documentation, which allows no stylesheet besides its own, stays as it is:
 * a constructed stylesheet is made by a script that was allowed.
 */
export function adoptStyles(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}
