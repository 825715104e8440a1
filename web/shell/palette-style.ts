/** Applied when the palette is first opened. The Content-Security-Policy allows sheets that a script constructs. */
const STYLE = `
.tb-palette{width:min(40rem,calc(100vw - 2rem));max-width:none;max-height:min(32rem,calc(100dvh - 6rem));margin:min(12vh,6rem) auto auto;padding:0;overflow:hidden;border:1px solid var(--tb-line);border-radius:calc(var(--tb-radius) + 6px);background:var(--tb-bg);color:var(--tb-ink);box-shadow:var(--tb-shadow);font:400 .9375rem/1.45 var(--tb-font)}
.tb-palette[open]{display:flex;flex-direction:column}
.tb-palette::backdrop{background:rgb(10 14 16 / 45%)}
.tb-palette-field{display:flex;align-items:center;gap:.25rem;flex:none;padding:0 .6rem 0 1.1rem;border-bottom:1px solid var(--tb-line)}
.tb-palette-field input{flex:1;min-width:0;height:3.25rem;padding:0;border:0;outline:0;background:none;color:var(--tb-ink);font:400 1.0625rem/1.4 var(--tb-font)}
.tb-palette-field input::placeholder{color:var(--tb-soft);opacity:1}
.tb-palette-field:has(input:focus-visible){box-shadow:inset 0 -2px var(--tb-accent)}
.tb-palette-field button{flex:none;min-width:2.75rem;height:2.25rem;padding:0 .6rem;border:1px solid var(--tb-line);border-radius:6px;background:var(--tb-panel);color:var(--tb-soft);font:500 .75rem/1 var(--tb-font);cursor:pointer}
.tb-palette-list{flex:1;overflow-y:auto;padding:.4rem .5rem .6rem;overscroll-behavior:contain;scroll-padding:2rem .6rem .6rem}
.tb-palette-heading{padding:.7rem .6rem .3rem;font-size:.75rem;font-weight:600;letter-spacing:.04em;color:var(--tb-soft)}
.tb-palette-option{display:flex;flex-direction:column;justify-content:center;min-height:2.5rem;padding:.35rem .6rem;border-radius:var(--tb-radius);color:var(--tb-ink);text-decoration:none;cursor:pointer;overflow-wrap:anywhere}
.tb-palette-option>span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.tb-palette-option small{display:block;overflow:hidden;font-size:.8125rem;color:var(--tb-soft);text-overflow:ellipsis;white-space:nowrap}
.tb-palette-option mark{background:none;color:inherit;font-weight:650}
.tb-palette-option[aria-selected=true]{background:var(--tb-tint);color:var(--tb-accent);box-shadow:inset 2px 0 var(--tb-accent)}
.tb-palette-option[aria-selected=true] small{color:var(--tb-ink)}
.tb-palette-status{flex:none;margin:0;padding:.6rem 1.1rem;border-top:1px solid var(--tb-line);font-size:.8125rem;color:var(--tb-soft)}
@media (max-width:48rem){.tb-palette{margin-top:.75rem;max-height:calc(100dvh - 1.5rem)}.tb-palette-field{padding-left:.9rem}}
@media (prefers-reduced-motion:no-preference){.tb-palette[open]{transition:opacity var(--tb-fast),transform var(--tb-fast)}
@starting-style{.tb-palette[open]{opacity:0;transform:translateY(-.5rem)}}}
`;

let isApplied = false;

export function applyPaletteStyle(): void {
  if (isApplied) return;
  isApplied = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
}
