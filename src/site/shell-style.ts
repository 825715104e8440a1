/**
 * The styles of the shell: header, menus, side navigation and footer, the same on server-rendered pages and those of React. Its
 * class names begin with `tb-`, and its sizes do not depend on the page, so that nothing moves from one page to the next.
 */
const BASE = `
html{overflow-y:scroll;scroll-padding-top:calc(var(--tb-header-height) + 1.25rem)}
body{min-height:100vh;display:flex;flex-direction:column}
.tb-skip{position:absolute;left:-99rem}
.tb-skip:focus{left:1rem;top:.6rem;z-index:30;padding:.5rem .9rem;border-radius:var(--tb-radius);background:var(--tb-bg);color:var(--tb-accent)}
.tb-icon{flex:none;fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
@media (scripting:none){.tb-scripted{visibility:hidden}}
.tb-narrow{display:none!important}
.tb-if-in,:root[data-visitor=in] .tb-if-out{visibility:hidden}
:root[data-visitor=in] .tb-if-in{visibility:visible}
.tb-popover .tb-if-in,:root[data-visitor=in] .tb-popover .tb-if-out,:root[data-was-in] :is(.tb-footer,main) .tb-if-out,:root:not([data-was-in]) main .tb-if-in{display:none}
:root[data-visitor=in] .tb-popover .tb-if-in{display:block}
`;

const HEADER = `
.tb-header{position:sticky;top:0;z-index:20;flex:none;height:var(--tb-header-height);border-bottom:1px solid var(--tb-line);background:var(--tb-bg);font:400 1rem/1.5 var(--tb-font)}
.tb-bar{display:flex;align-items:center;gap:.5rem;height:100%;max-width:calc(var(--tb-page-width) + 2*var(--tb-gutter));margin:0 auto;padding:0 var(--tb-gutter)}
.tb-brand{display:inline-flex;gap:.6rem;align-items:center;min-height:2.75rem;font-weight:650;letter-spacing:-.01em;color:var(--tb-ink);text-decoration:none}
.tb-bar .tb-brand{min-width:0}.tb-bar .tb-brand span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.tb-brand svg{flex:none;color:var(--tb-accent)}.tb-brand img{flex:none;width:auto;max-width:6rem;height:1.5rem;object-fit:contain}
.tb-links{display:flex;flex:none;gap:.25rem;align-items:center;margin:0 auto 0 1.25rem}
.tb-links a,.tb-visitor a:not(.tb-button){position:relative;display:inline-flex;align-items:center;min-height:2.5rem;padding:0 .75rem;border-radius:var(--tb-radius);color:var(--tb-soft);font-size:.9375rem;text-decoration:none;transition:color var(--tb-fast),background-color var(--tb-fast)}
.tb-links a:hover,.tb-visitor a:not(.tb-button):hover{color:var(--tb-ink);background:var(--tb-panel)}
.tb-links a[aria-current],.tb-visitor a[aria-current]{color:var(--tb-ink)}
.tb-links a[aria-current]::after{content:"";position:absolute;inset:auto .75rem calc((2.5rem - var(--tb-header-height))/2) .75rem;height:2px;background:var(--tb-accent)}
.tb-search{display:inline-flex;align-items:center;gap:.5rem;width:12.5rem;height:2.25rem;padding:0 .4rem 0 .65rem;border:1px solid var(--tb-edge);border-radius:var(--tb-radius);background:var(--tb-bg);color:var(--tb-soft);font:400 .875rem/1 var(--tb-font);cursor:pointer;transition:border-color var(--tb-fast),background-color var(--tb-fast)}
.tb-search:hover{border-color:var(--tb-accent);color:var(--tb-ink)}
.tb-search-label{margin-right:auto}
.tb-search kbd{min-width:2.9rem;padding:.25rem .3rem;border:1px solid var(--tb-line);border-radius:5px;background:var(--tb-panel);font:500 .6875rem/1 var(--tb-font);text-align:center}
.tb-icon-button{display:inline-grid;place-items:center;flex:none;width:2.5rem;height:2.5rem;padding:0;border:0;border-radius:var(--tb-radius);background:none;color:var(--tb-soft);cursor:pointer;transition:color var(--tb-fast),background-color var(--tb-fast)}
.tb-icon-button:hover{background:var(--tb-panel);color:var(--tb-ink)}
.tb-icon-button>svg{grid-area:1/1}
:root[data-mantine-color-scheme=dark] [popovertarget=tb-appearance] svg:first-child,:root:not([data-mantine-color-scheme=dark]) [popovertarget=tb-appearance] svg:last-child{visibility:hidden}
.tb-button{display:inline-flex;align-items:center;justify-content:center;min-height:2.25rem;padding:0 .95rem;border:1px solid var(--tb-accent);border-radius:var(--tb-radius);background:var(--tb-accent);color:var(--tb-on-filled);font:600 .9375rem/1.3 var(--tb-font);text-decoration:none;cursor:pointer;transition:background-color var(--tb-fast),border-color var(--tb-fast)}
.tb-button:hover{background:var(--tb-accent-ink);border-color:var(--tb-accent-ink)}
.tb-button.tb-quiet{border-color:var(--tb-edge);background:none;color:var(--tb-ink)}.tb-button.tb-quiet:hover{background:var(--tb-panel)}
.tb-visitor{display:grid}.tb-visitor .tb-button{flex:1}.tb-visitor .tb-icon-button{margin-right:-.6rem}
.tb-visitor>div{grid-area:1/1;display:flex;align-items:center;justify-content:flex-end;gap:.25rem}
`;

/** Popovers of the header. `display` is left to the browser where they are closed. */
const MENUS = `
.tb-popover{position:fixed;inset:calc(var(--tb-header-height) + .25rem) max(var(--tb-gutter),(100% - var(--tb-page-width))/2) auto auto;width:min(17.5rem,100% - 2*var(--tb-gutter));max-height:calc(100dvh - var(--tb-header-height) - 1rem);margin:0;padding:.75rem;overflow-y:auto;border:1px solid var(--tb-line);border-radius:calc(var(--tb-radius) + 4px);background:var(--tb-bg);color:var(--tb-ink);box-shadow:var(--tb-shadow);font:400 .9375rem/1.5 var(--tb-font)}
@media (prefers-reduced-motion:no-preference){.tb-popover{transition:opacity var(--tb-fast),transform var(--tb-fast)}
@starting-style{.tb-popover:popover-open{opacity:0;transform:translateY(-.25rem)}}}
.tb-nav ul{list-style:none;margin:0;padding:0}.tb-nav li{margin:0}
.tb-nav p{margin:1.25rem 0 .3rem;padding-left:.75rem;font-size:.75rem;font-weight:600;letter-spacing:.05em;text-transform:uppercase;color:var(--tb-soft)}
.tb-nav a{display:flex;align-items:center;gap:.65rem;min-height:2.375rem;padding:0 .75rem;border-radius:var(--tb-radius);color:var(--tb-ink);font-size:.9375rem;text-decoration:none;transition:background-color var(--tb-fast)}
.tb-nav a svg{color:var(--tb-soft)}
.tb-nav a:hover{background:var(--tb-panel)}
.tb-nav a[aria-current]{background:var(--tb-tint);color:var(--tb-accent);font-weight:600}.tb-nav a[aria-current] svg{color:inherit}
.tb-popover .tb-nav+*{margin-top:.5rem;padding-top:.75rem;border-top:1px solid var(--tb-line)}
.tb-signed-in p{margin:0 .75rem .6rem;font-size:.8125rem;color:var(--tb-soft);overflow-wrap:anywhere}.tb-signed-in strong{display:block;color:var(--tb-ink)}
.tb-signed-in [role=alert]{margin:.5rem .75rem 0;color:var(--tb-bad)}.tb-signed-in [role=alert]:empty{display:none}
.tb-signed-in .tb-button{width:100%}
.tb-choice{margin:0;padding:0;border:0;min-width:0}
.tb-choice legend{padding:0 0 .4rem;font-size:.8125rem;color:var(--tb-soft)}
.tb-choice div{display:flex;gap:.2rem;padding:.2rem;border-radius:var(--tb-radius);background:var(--tb-panel);box-shadow:inset 0 0 0 1px var(--tb-line)}
.tb-choice label{position:relative;flex:1}
.tb-choice input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}
.tb-choice span{display:flex;align-items:center;justify-content:center;gap:.35rem;min-height:2.1rem;padding:0 .3rem;border-radius:calc(var(--tb-radius) - 2px);font-size:.8125rem;color:var(--tb-soft)}
.tb-choice input:checked+span{background:var(--tb-bg);color:var(--tb-ink);font-weight:600;box-shadow:0 0 0 1px var(--tb-edge)}
.tb-choice input:focus-visible+span{outline:2px solid var(--tb-accent);outline-offset:1px}
.tb-menu-actions{display:grid;grid-auto-flow:column;grid-auto-columns:1fr;gap:.5rem}
:root[data-visitor=in] .tb-menu .tb-menu-actions{display:none}
.tb-menu>*+*{margin-top:.75rem;padding-top:.75rem;border-top:1px solid var(--tb-line)}
.tb-menu .tb-nav a,.tb-menu .tb-button{min-height:2.75rem}
`;

/** A page of React: the side navigation stands beside the pages of the dashboard. The footer begins below the first screen. */
const BODY = `
.tb-body{flex:1 0 auto;width:100%;max-width:calc(var(--tb-page-width) + 2*var(--tb-gutter));min-height:calc(100vh - var(--tb-header-height));margin:0 auto;padding:2.5rem var(--tb-gutter) 5rem}
.tb-body main{min-width:0}
.tb-side{display:none}
[data-area=member] .tb-body{display:grid;grid-template-columns:12rem minmax(0,1fr);gap:3rem}
[data-area=member] .tb-side{display:block;position:sticky;top:calc(var(--tb-header-height) + 2.5rem);align-self:start;margin-left:-.75rem}
`;

const FOOTER = `
.tb-footer{flex:none;border-top:1px solid var(--tb-line);font:400 .875rem/1.6 var(--tb-font);color:var(--tb-soft)}
.tb-foot{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:2rem 3rem;max-width:calc(var(--tb-page-width) + 2*var(--tb-gutter));margin:auto;padding:2.5rem var(--tb-gutter) 3rem}
.tb-foot p{margin:0}.tb-foot .tb-brand{min-height:2rem;font-size:1rem}.tb-foot small{font-size:.8125rem;font-weight:400;color:var(--tb-soft)}
.tb-foot .tb-brand+p{max-width:22rem;margin-top:.5rem;font-size:.8125rem;overflow-wrap:anywhere}
.tb-foot nav{display:flex;flex-wrap:wrap;gap:2rem 4.5rem}.tb-foot nav div{min-width:7rem}
.tb-foot nav p{line-height:2rem;font-size:.8125rem;font-weight:600;color:var(--tb-ink)}
.tb-foot ul{list-style:none;margin:.25rem 0 0;padding:0}.tb-foot li{margin:0}
.tb-foot nav a{display:inline-flex;align-items:center;min-height:2rem;color:var(--tb-soft);text-decoration:none}.tb-foot nav a:hover{color:var(--tb-ink);text-decoration:underline}
`;

const NARROW = `
@media (max-width:60rem){.tb-foot{grid-template-columns:minmax(0,1fr)}.tb-search{width:auto;padding:0 .65rem}.tb-search kbd{display:none}}
@media (max-width:48rem){:root{--tb-gutter:1rem}
.tb-wide,.tb-links,[data-area=member] .tb-side{display:none!important}.tb-narrow{display:inline-grid!important}
.tb-search{margin-left:auto;width:2.75rem;height:2.75rem;padding:0;justify-content:center;border-color:transparent}.tb-search-label{position:absolute;clip-path:inset(50%)}
.tb-header .tb-icon-button{width:2.75rem;height:2.75rem;margin-right:-.5rem}
.tb-body{padding-top:1.75rem}[data-area=member] .tb-body{display:block}
.tb-foot nav{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:1.75rem 1rem}.tb-foot nav a{min-height:2.5rem}
.tb-menu{inset:var(--tb-header-height) 0 auto 0;width:100%;max-height:calc(100dvh - var(--tb-header-height));padding:.75rem var(--tb-gutter) 1.25rem;border-width:0 0 1px;border-radius:0}}
@media (max-height:24rem){.tb-header{position:static}.tb-popover{top:.5rem;max-height:calc(100dvh - 1rem)}}
@media print{.tb-header,.tb-side,.tb-skip,.tb-popover,.tb-foot nav{display:none!important}
.tb-body,[data-area=member] .tb-body{display:block;min-height:0;max-width:none;padding:0}.tb-foot{max-width:none;padding:1rem 0 0}}
`;

/** Without line ends, which only help readers of this file. */
export const SHELL_STYLE = [BASE, HEADER, MENUS, BODY, FOOTER, NARROW].join("").replace(/\n/g, "");
