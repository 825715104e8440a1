import { SHELL_STYLE } from "./shell-style.ts";
import { tokensCss } from "./tokens.ts";

/** The stylesheet of the server-rendered pages, inlined into each of them. Its colours and sizes are in tokens.ts. */
const TEXT = `
*{box-sizing:border-box}[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--tb-bg);color:var(--tb-ink);font:1rem/1.6 var(--tb-font);text-rendering:optimizeLegibility}
h1,h2,h3{line-height:1.25;margin:0;font-weight:650;letter-spacing:-.012em;text-wrap:balance}
h1{font-size:2.1rem;letter-spacing:-.025em}h2{font-size:1.45rem}h3{font-size:1.2rem}
h2 a,h3 a{color:inherit;text-decoration:none}
h2 a:hover::after,h3 a:hover::after{content:" #";color:var(--tb-soft);font-weight:400}
p,ul,dl,figure{margin:.85rem 0 0}
ul{padding-left:1.2rem}li{margin:.35rem 0}li::marker{color:var(--tb-soft)}
a{color:var(--tb-accent);text-decoration-thickness:1px;text-underline-offset:.18em}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:2px solid var(--tb-accent);outline-offset:2px;border-radius:3px}
code,pre{font-family:var(--tb-mono);font-size:.875em;font-variant-ligatures:none}
p code,.docs li>code,td code,dd code{background:var(--tb-panel);border:1px solid var(--tb-line);border-radius:4px;padding:.06em .3em;overflow-wrap:anywhere;-webkit-box-decoration-break:clone;box-decoration-break:clone}
h2 code,h3 code{font-size:.95em;overflow-wrap:anywhere}
.lead{font-size:1.125rem;color:var(--tb-soft);max-width:46rem}
.soft{color:var(--tb-soft)}
.small{font-size:.875rem}
`;

const FRAME = `
.said{position:absolute;clip-path:inset(50%);width:1px;height:1px;margin:0;overflow:hidden}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:2.75rem;padding:.35rem 1.15rem;border-radius:var(--tb-radius);border:1px solid var(--tb-accent);background:var(--tb-accent);color:var(--tb-on-filled);font-weight:600;text-decoration:none;line-height:1.3}
.button:hover{background:var(--tb-accent-ink);border-color:var(--tb-accent-ink)}
.button.quiet{background:none;color:var(--tb-accent);border-color:var(--tb-edge)}.button.quiet:hover{background:var(--tb-tint);border-color:var(--tb-accent)}
@media (prefers-reduced-motion:no-preference){.button,.cards a,.turns a,.copy{transition:color var(--tb-fast),background-color var(--tb-fast),border-color var(--tb-fast)}}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.6rem}
.body{flex:1;width:100%;max-width:calc(var(--tb-page-width) + 2*var(--tb-gutter));margin:0 auto;padding:2.5rem var(--tb-gutter) 5rem}
@media (max-width:48rem){.body{padding-top:1.75rem}}
main{min-width:0}main:focus{outline:0}
main>section{padding-top:3.25rem}
h2+h3{margin-top:1.25rem}
.toc{font-size:.9rem;border:1px solid var(--tb-line);border-radius:8px;padding:.35rem .9rem;margin-bottom:2rem}
.toc summary{cursor:pointer;font-weight:600;padding:.45rem 0}
.toc ul{list-style:none;margin:0;padding:0}.toc li{margin:0}
.toc a{display:block;padding:.3rem 0;color:var(--tb-ink);text-decoration:none;overflow-wrap:anywhere}
.toc a:hover{color:var(--tb-accent);text-decoration:underline}
.toc a[aria-current]{font-weight:650;color:var(--tb-accent)}
.toc ul ul{border-left:1px solid var(--tb-line);padding-left:.85rem;margin:.15rem 0 .6rem .1rem}
.toc ul ul a{color:var(--tb-soft);padding:.22rem 0}
.toc a code{font-size:.8125rem}
.turns{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:4rem;max-width:52rem}
.turns a{flex:1 1 12rem;border:1px solid var(--tb-line);border-radius:8px;padding:.75rem 1rem;text-decoration:none;font-weight:600}
.turns a:hover{border-color:var(--tb-accent);background:var(--tb-panel)}
.turns small{display:block;font-weight:400;font-size:.8125rem;color:var(--tb-soft)}.turns .next{text-align:right}
@media (min-width:62rem){
.body.wide{display:grid;grid-template-columns:14rem minmax(0,1fr);gap:3.5rem}
.side{margin-left:-.25rem;position:sticky;top:var(--tb-header-height);align-self:start;max-height:calc(100vh - var(--tb-header-height));overflow:auto;padding:2.6rem 0 1.5rem;margin-top:-2.5rem}
.toc{border:0;padding:0 .25rem;margin:0}
@supports selector(::details-content){.toc summary{display:none}.toc::details-content{content-visibility:visible;block-size:auto}}
}
`;

/** Tables: a shadow at the right edge says that a table goes on; at its end a cover hides the shadow. */
const PARTS = `
.code{border:1px solid var(--tb-line);border-radius:8px;background:var(--tb-panel);overflow:hidden}
.code figcaption{display:flex;align-items:center;gap:.6rem;min-height:2.25rem;padding:.25rem .5rem .25rem .9rem;border-bottom:1px solid var(--tb-line);font-size:.8125rem;color:var(--tb-soft)}
.code figcaption span:first-child{margin-right:auto}
.code pre{margin:0;padding:.8rem .9rem;font-size:.8125rem;line-height:1.6;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:2}
.code pre code{font-size:inherit}
.code i{font-style:normal}.o{display:inline-block}.k{color:var(--tb-key)}.t{color:var(--tb-text)}.v{color:var(--tb-value)}
.copy{font:500 .75rem/1 var(--tb-font);color:var(--tb-soft);background:none;border:1px solid transparent;border-radius:5px;padding:.4rem .55rem;min-height:1.75rem;cursor:pointer}
.copy:hover{color:var(--tb-ink);border-color:var(--tb-line);background:var(--tb-bg)}
.tabs fieldset{border:0;margin:0 0 .5rem;padding:0;display:flex;gap:.25rem}
.tabs legend{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.tabs label{position:relative;font-size:.8125rem;color:var(--tb-soft);padding:.35rem .7rem;border-radius:5px;cursor:pointer}
.tabs label:hover{color:var(--tb-ink)}
.tabs input{position:absolute;opacity:0;inset:0;margin:0;cursor:pointer}
.tabs label:has(:checked){background:var(--tb-tint);color:var(--tb-accent);font-weight:600}
.tabs label:has(:focus-visible){outline:2px solid var(--tb-accent)}
.tabs{margin-top:.85rem}.tabs .code{margin-top:0}.tabs .code+.code{margin-top:.6rem}.tabs fieldset~.code{margin-top:0}
.scroll{overflow-x:auto;margin-top:.6rem;background:linear-gradient(to left,var(--tb-bg) 40%,transparent) right/2.5rem 100% no-repeat local,linear-gradient(to left,color-mix(in srgb,var(--tb-ink) 16%,transparent),transparent) right/.6rem 100% no-repeat scroll}
table{border-collapse:collapse;width:100%;min-width:30rem;font-size:.9rem;line-height:1.5}
th,td{text-align:left;vertical-align:top;padding:.6rem 1rem .6rem 0;border-bottom:1px solid var(--tb-line)}
th:last-child,td:last-child{padding-right:0}
thead th{font-size:.75rem;font-weight:600;color:var(--tb-soft);padding-bottom:.35rem}
.docs{max-width:52rem}.docs h2{margin-top:2.75rem}.docs h3{margin-top:2rem}.docs h4{margin:1.5rem 0 0}
.docs ol{padding-left:1.4rem;margin:.85rem 0 0}.docs li p,.docs li .code{margin-top:.5rem}
.docs td{min-width:5rem}.docs td code{overflow-wrap:break-word}.docs td:first-child code{overflow-wrap:normal;white-space:nowrap}
.docs td code.long{white-space:normal;overflow-wrap:anywhere}
@media (min-width:44.01rem){.docs td:not(:last-child) wbr{display:none}}
@media (max-width:44rem){table{min-width:0}th,td{padding-right:.7rem}.docs td{min-width:3rem}.docs td:last-child:nth-child(n+3){min-width:12rem}.docs td:first-child code{white-space:normal}.docs table:has(th:nth-child(4)){min-width:34rem}}
.docs img{max-width:100%}
.docs blockquote,.markdown-alert{margin:.85rem 0 0;padding:.1rem 1rem .6rem;border-left:3px solid var(--tb-line);color:var(--tb-soft)}
.markdown-alert{border-color:var(--tb-accent);color:inherit}.markdown-alert-warning{border-color:var(--tb-value)}
.markdown-alert-title{font-weight:600}
.contents{list-style:none;padding:0;display:grid;gap:.25rem 1rem;grid-template-columns:repeat(auto-fill,minmax(min(20rem,100%),1fr));margin:.6rem -.85rem 0}
.contents li{margin:0}.contents a{display:block;height:100%;padding:.6rem .85rem;border-radius:var(--tb-radius);text-decoration:none}.contents a:hover{background:var(--tb-panel)}
.contents b{font-weight:600}.contents b code,.docs .contents code{background:none;border:0;padding:0}.contents span{display:block;color:var(--tb-soft);font-size:.9375rem;line-height:1.5}
.topics{columns:2 18rem;overflow-wrap:anywhere}
.toc .group{margin:1rem 0 .2rem;font-size:.75rem;font-weight:600;letter-spacing:.05em;text-transform:uppercase;color:var(--tb-soft)}
tr:target{background:var(--tb-tint)}
.cards{list-style:none;padding:0;display:grid;gap:.75rem;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr));margin-top:1.25rem}
.cards li{margin:0}.cards a{display:block;height:100%;border:1px solid var(--tb-line);border-radius:8px;padding:.9rem 1rem;color:inherit;text-decoration:none}
.cards a:hover{border-color:var(--tb-accent);background:var(--tb-panel)}.cards code{color:var(--tb-accent);font-weight:600}
.cards span{display:block;margin-top:.3rem;font-size:.9rem;color:var(--tb-soft)}
.cards b{font-weight:600}
`;

const PRINT = `
@media print{.side,.copy,.turns,.tabs fieldset{display:none!important}
body{font-size:10pt;color:#000;background:#fff}body,.body{display:block!important}.body{padding:1.5rem 0 0;max-width:none}
.code,tr{break-inside:avoid}h2,h3{break-after:avoid}
a{color:inherit}}
`;

/** Without line ends, which only help readers of this file. */
export const STYLE = [tokensCss(), TEXT, FRAME, PARTS, SHELL_STYLE, PRINT]
  .join("")
  .replace(/\n/g, "");
