import { PRICING_STYLE } from "./pricing-style.ts";
import { tokensCss } from "./tokens.ts";

/** The stylesheet of the server-rendered pages, inlined into each of them. Its colours and sizes are in tokens.ts. */
const TEXT = `
*{box-sizing:border-box}[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;scroll-padding-top:1.5rem}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--tb-bg);color:var(--tb-ink);font:1rem/1.6 var(--tb-font);text-rendering:optimizeLegibility}
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
p code,.docs li>code,td code,dd code{background:var(--tb-panel);border:1px solid var(--tb-line);border-radius:4px;padding:.06em .3em;overflow-wrap:anywhere}
h2 code,h3 code{font-size:.95em}
.lead{font-size:1.125rem;color:var(--tb-soft);max-width:46rem}
.soft{color:var(--tb-soft)}
.small{font-size:.875rem}
`;

const FRAME = `
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.75rem;background:var(--tb-bg);padding:.4rem .8rem;z-index:2}
.said{position:absolute;clip-path:inset(50%);width:1px;height:1px;margin:0;overflow:hidden}
.bar{display:flex;flex-wrap:wrap;gap:.25rem 2rem;align-items:center;padding:.6rem 1.25rem;max-width:96rem;margin:auto}
.top{border-bottom:1px solid var(--tb-line)}
.brand{display:inline-flex;gap:.6rem;align-items:center;font-weight:650;color:var(--tb-ink);text-decoration:none;letter-spacing:-.01em;min-height:2.75rem}
.brand svg{color:var(--tb-accent)}
.bar nav{display:flex;gap:.25rem 1.4rem;align-items:center}
.bar nav a:not(.button){color:var(--tb-soft);text-decoration:none;display:inline-flex;align-items:center;min-height:2.75rem}
.bar nav a:not(.button):hover{color:var(--tb-ink);text-decoration:underline;text-decoration-thickness:1px}
.bar nav a[aria-current]{color:var(--tb-ink);box-shadow:inset 0 -2px var(--tb-accent)}
.visitor{margin-left:auto}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:2.75rem;padding:.35rem 1.15rem;border-radius:8px;border:1px solid var(--tb-accent);background:var(--tb-accent);color:var(--tb-bg);font-weight:600;text-decoration:none;line-height:1.3}
.button:hover{background:var(--tb-accent-ink);border-color:var(--tb-accent-ink)}
.button.quiet{background:none;color:var(--tb-accent);border-color:var(--tb-edge)}.button.quiet:hover{background:var(--tb-tint);border-color:var(--tb-accent)}
.bar .button{min-height:2.4rem;padding:.25rem .95rem;font-size:.9375rem}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.6rem}
footer{border-top:1px solid var(--tb-line);margin-top:5rem}
.foot{display:flex;flex-wrap:wrap;gap:.5rem 2.5rem;align-items:center;padding:1.5rem 1.25rem 2.5rem;max-width:96rem;margin:auto}
.foot p{margin:0;color:var(--tb-soft)}.foot .brand{color:var(--tb-ink)}
.foot nav{display:flex;flex-wrap:wrap;gap:.1rem 1.4rem;font-size:.9rem}
.foot nav a{color:var(--tb-soft);text-decoration:none;display:inline-flex;align-items:center;min-height:2.25rem}.foot nav a:hover{color:var(--tb-ink);text-decoration:underline}
.foot>p:last-child{width:100%;overflow-wrap:anywhere}
.body{flex:1;width:100%;max-width:96rem;margin:0 auto;padding:2.5rem 1.25rem 0}
@media (max-width:44rem){.bar{column-gap:.75rem;padding:.5rem 1rem}.bar nav{column-gap:.9rem}.bar .button{padding:.25rem .7rem}.body,.foot{padding-left:1rem;padding-right:1rem}.bar .brand{margin-right:auto}.visitor{margin-left:0}.bar nav:not(.visitor){order:1;width:100%}}
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
.side{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:2.6rem 0 1.5rem;margin-top:-2.5rem}
.toc{border:0;padding:0 .25rem;margin:0}
@supports selector(::details-content){.toc summary{display:none}.toc::details-content{content-visibility:visible;block-size:auto}}
}
`;

const PARTS = `
.code{border:1px solid var(--tb-line);border-radius:8px;background:var(--tb-panel);overflow:hidden}
.code figcaption{display:flex;align-items:center;gap:.6rem;min-height:2.25rem;padding:.25rem .5rem .25rem .9rem;border-bottom:1px solid var(--tb-line);font-size:.8125rem;color:var(--tb-soft)}
.code figcaption span:first-child{margin-right:auto}
.code pre{margin:0;padding:.8rem .9rem;font-size:.8125rem;line-height:1.6;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:2}
.code pre code{font-size:inherit}
.code i{font-style:normal}.k{color:var(--tb-key)}.t{color:var(--tb-text)}.v{color:var(--tb-value)}
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
.scroll{overflow-x:auto;margin-top:.6rem}
table{border-collapse:collapse;width:100%;min-width:30rem;font-size:.9rem;line-height:1.5}
th,td{text-align:left;vertical-align:top;padding:.6rem 1rem .6rem 0;border-bottom:1px solid var(--tb-line)}
th:last-child,td:last-child{padding-right:0}
thead th{font-size:.75rem;font-weight:600;color:var(--tb-soft);padding-bottom:.35rem}
.docs{max-width:52rem}.docs h2{margin-top:2.75rem}.docs h3{margin-top:2rem}.docs h4{margin:1.5rem 0 0}
.docs ol{padding-left:1.4rem;margin:.85rem 0 0}.docs li p,.docs li .code{margin-top:.5rem}
.docs td{min-width:5rem}.docs td:first-child code{overflow-wrap:normal}
.docs img{max-width:100%}
.docs blockquote,.markdown-alert{margin:.85rem 0 0;padding:.1rem 1rem .6rem;border-left:3px solid var(--tb-line);color:var(--tb-soft)}
.markdown-alert{border-color:var(--tb-accent);color:inherit}.markdown-alert-warning{border-color:var(--tb-value)}
.markdown-alert-title{font-weight:600}
.topics{columns:2 18rem;overflow-wrap:anywhere}
.toc .group{margin:1rem 0 .2rem;font-size:.75rem;font-weight:600;letter-spacing:.05em;text-transform:uppercase;color:var(--tb-soft)}
.find{margin:0 0 .75rem}.find input{width:100%;min-height:2.4rem;padding:.3rem .6rem;font:inherit;color:var(--tb-ink);background:var(--tb-bg);border:1px solid var(--tb-edge);border-radius:8px}
.find p{margin:.3rem 0 0}.find small{display:block;font-size:.8125rem;color:var(--tb-soft);overflow-wrap:anywhere}
tr:target{background:var(--tb-tint)}
.cards{list-style:none;padding:0;display:grid;gap:.75rem;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr));margin-top:1.25rem}
.cards li{margin:0}.cards a{display:block;height:100%;border:1px solid var(--tb-line);border-radius:8px;padding:.9rem 1rem;color:inherit;text-decoration:none}
.cards a:hover{border-color:var(--tb-accent);background:var(--tb-panel)}.cards code{color:var(--tb-accent);font-weight:600}
.cards span{display:block;margin-top:.3rem;font-size:.9rem;color:var(--tb-soft)}
.cards b{font-weight:600}
`;

/** The front page and the 404 page. */
const FRONT = `
.slim .bar,.slim .foot,.slim .body{max-width:76.5rem}
.slim main>section{padding-top:5rem}
.slim main h2{font-size:clamp(1.5rem,4vw,1.85rem);letter-spacing:-.02em}
.hero{display:grid;gap:2.5rem 3.5rem;padding:1.5rem 0 0}
.hero h1{font-size:clamp(2.3rem,7vw,3.6rem);line-height:1.08;letter-spacing:-.035em}
.pitch .lead{font-size:clamp(1.1rem,2.5vw,1.25rem);margin-top:1.4rem}
.pitch .small{margin-top:1.1rem}
@media (min-width:62rem){.hero{grid-template-columns:minmax(0,1.05fr) minmax(0,1fr);align-items:center;padding-top:2.5rem}}
.try{border:1px solid var(--tb-line);border-radius:12px;background:var(--tb-panel);padding:1.25rem}
.slim main .try h2{font-size:1.125rem;letter-spacing:-.01em}
.try label{display:block;margin-top:.9rem;font-size:.875rem;font-weight:600}
.try textarea{display:block;width:100%;margin-top:.3rem;font:1rem/1.5 var(--tb-mono);color:var(--tb-ink);background:var(--tb-bg);border:1px solid var(--tb-edge);border-radius:8px;padding:.55rem .75rem;resize:vertical}
.hint{margin-top:.4rem;font-size:.8125rem;color:var(--tb-soft)}
.made{display:flex;gap:1.25rem;align-items:flex-start;margin-top:1rem}
.qr{flex:none;background:#fff;border:1px solid var(--tb-line);border-radius:8px;width:9rem;height:9rem;padding:.25rem}
.qr img{display:block;width:100%;height:100%}
.made dl{margin:0;min-width:0;font-size:.875rem}.made dt:first-child{margin-top:0}.made dt{color:var(--tb-accent)}.made dt code{font-weight:600}
.digest{overflow-wrap:anywhere}
.made .digest{background:none;border:0;padding:0}
.fault{margin:.6rem 0 0;font-size:.875rem;color:var(--tb-bad)}.fault:empty{display:none}
.try .code{background:var(--tb-bg);margin-top:1rem}
@media (max-width:26rem){.made{flex-direction:column}}
.steps{list-style:none;counter-reset:step;padding:0;margin-top:1.75rem;display:grid;gap:2rem}
.steps li{margin:0;counter-increment:step;min-width:0;display:flex;flex-direction:column}
.steps li::before{content:counter(step);display:grid;place-items:center;width:2rem;height:2rem;border-radius:50%;background:var(--tb-tint);color:var(--tb-accent);font-weight:650;font-size:.9375rem;margin-bottom:.75rem}
.steps p{color:var(--tb-soft)}
@media (min-width:62rem){.steps{grid-template-columns:repeat(3,minmax(0,1fr));gap:2rem}.steps p{flex:1}
@supports (grid-template-rows:subgrid){.steps{grid-template-rows:repeat(4,auto)}.steps li{display:grid;grid-row:span 4;grid-template-rows:subgrid;row-gap:0}.steps .code{align-self:start}}}
.slim main .cards{gap:1rem;margin-top:1.75rem;grid-template-columns:repeat(auto-fill,minmax(min(19rem,100%),1fr))}.slim .cards a{padding:1.1rem 1.2rem}
.packs{list-style:none;padding:0;margin-top:1.75rem;display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(13.5rem,100%),1fr))}
.packs li{margin:0;border:1px solid var(--tb-line);border-radius:8px;padding:1.1rem 1.2rem}
.packs p{margin-top:.35rem}.packs .price{font-size:1.75rem;font-weight:650;letter-spacing:-.02em;line-height:1.2;overflow-wrap:anywhere}
.packs+p{max-width:46rem;margin-top:1.25rem}
.reasons{list-style:none;padding:0;margin-top:1.75rem;display:grid;gap:2.25rem 2.5rem;grid-template-columns:repeat(auto-fit,minmax(min(19rem,100%),1fr))}
.reasons li{margin:0;border-top:1px solid var(--tb-line);padding-top:1.1rem}
.reasons h3{font-size:1.0625rem}.reasons p{margin-top:.5rem;color:var(--tb-soft)}
.band>div p{color:var(--tb-soft);max-width:36rem}
@media (min-width:62rem){.band{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1.1fr);gap:3.5rem;align-items:center}}
.lost{padding:3rem 0 4rem}.lost h1{font-size:clamp(1.9rem,5vw,2.6rem)}
.code-word{font:650 1rem/1 var(--tb-mono);color:var(--tb-accent);margin:0 0 1rem}
`;

const PRINT = `
@media print{.side,.skip,.copy,.bar nav,.foot nav,.turns,.tabs fieldset{display:none!important}
body{font-size:10pt;color:#000;background:#fff}body,.body{display:block!important}.body{padding:1.5rem 0 0}.bar,.foot{padding:0;max-width:none}
.code,tr{break-inside:avoid}h2,h3{break-after:avoid}
a{color:inherit}}
`;

/** Without line ends, which only help readers of this file. */
export const STYLE = [tokensCss(), TEXT, FRAME, PARTS, FRONT, PRICING_STYLE, PRINT]
  .join("")
  .replace(/\n/g, "");
