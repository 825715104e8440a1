import { GATE_STYLE } from "./gate.ts";

/** The styles of the front page, the pricing page and the 404 page, which docs pages do not need. */
export const FRONT_STYLE = `
.slim main>section{padding-top:clamp(4.5rem,9vw,7rem)}
.slim main h2{font-size:clamp(1.625rem,3.6vw,2.125rem);letter-spacing:-.02em;word-spacing:.06em;line-height:1.15}
.slim h2+.lead{margin-top:.7rem}
.hero{display:grid;gap:3rem 3.5rem;padding:clamp(1rem,4vw,3.5rem) 0 0}
.hero h1{font-size:clamp(2.5rem,7.2vw,4.25rem);line-height:1.02;letter-spacing:-.032em;font-weight:700}
.pitch{min-width:0}.pitch .lead{font-size:clamp(1.0625rem,2.2vw,1.25rem);line-height:1.55;margin-top:1.5rem;max-width:34rem}
.pitch .actions{margin-top:2rem}.pitch .small{margin-top:1.1rem;text-wrap:pretty}.slim main p{text-wrap:pretty}
@media (min-width:62rem){.hero{grid-template-columns:minmax(0,1fr) minmax(0,1fr);align-items:center}}
.call{min-width:0;border:1px solid var(--tb-line);border-radius:var(--tb-radius-large);background:var(--tb-panel);box-shadow:var(--tb-shadow);overflow:hidden}
.call .code{margin:0;border:0;border-radius:0;background:none}
.call .code figcaption{border:0;padding:.6rem .75rem 0 1.25rem;min-height:2.4rem}
.call .code pre{padding:.35rem 1.25rem 1.15rem}
.status{margin-left:.5rem;padding:.1em .5em;border-radius:99px;background:var(--tb-ok-bg);color:var(--tb-ok);font:600 .75rem/1.5 var(--tb-mono)}
.toll{display:flex;align-items:center;gap:1.25rem;padding:.9rem 1.25rem 0;background:var(--tb-bg);border-block:1px solid var(--tb-line)}
.toll .gate{width:10rem;flex:none}
.toll p{margin:0 0 .9rem;font-size:.8125rem;color:var(--tb-soft);line-height:1.5;min-width:0}
.toll code{display:block;background:none;border:0;padding:0;font-weight:600;color:var(--tb-accent);overflow-wrap:anywhere}
@media (max-width:26rem){.call .code pre{font-size:.75rem}.toll{gap:.75rem;padding-inline:1rem}.toll .gate{width:7rem}}
.slim main .cards{gap:1rem;margin-top:2rem;grid-template-columns:repeat(auto-fill,minmax(min(21rem,100%),1fr))}
.slim .cards a{position:relative;display:grid;grid-template-columns:auto minmax(0,1fr);grid-template-rows:auto auto 1fr;column-gap:.9rem;padding:1.25rem;border-radius:var(--tb-radius-large);background:var(--tb-bg);transition:border-color var(--tb-fast),box-shadow var(--tb-fast),transform var(--tb-fast)}
.slim .cards a:hover{background:var(--tb-bg);box-shadow:var(--tb-shadow);transform:translateY(-2px)}
.tile svg{width:1.5rem;height:1.5rem}.tile{display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:10px;background:var(--tb-tint);color:var(--tb-accent)}
.slim .cards .tile{display:grid;grid-row:span 2;margin:0;color:var(--tb-accent)}
.slim .cards b{font-size:1.0625rem;font-weight:650;line-height:1.3}
.slim .cards code{font-size:.8125rem;font-weight:400;color:var(--tb-soft);overflow-wrap:anywhere}
.slim .cards span:last-child{grid-column:1/-1;margin-top:.9rem;font-size:.9375rem}
.try{display:grid;gap:1.5rem 3.5rem}
.try>*{min-width:0}
.try label{display:block;margin-top:1.5rem;font-size:.875rem;font-weight:600}
.try textarea{display:block;width:100%;margin-top:.4rem;font:1rem/1.5 var(--tb-mono);color:var(--tb-ink);background:var(--tb-bg);border:1px solid var(--tb-edge);border-radius:var(--tb-radius);padding:.65rem .85rem;resize:vertical}
.hint{margin-top:.5rem;font-size:.8125rem;color:var(--tb-soft)}
.results{border:1px solid var(--tb-line);border-radius:var(--tb-radius-large);background:var(--tb-panel);padding:1.25rem}
.made{display:flex;gap:1.25rem;align-items:flex-start}
.qr{flex:none;background:#fff;border:1px solid var(--tb-line);border-radius:var(--tb-radius);width:9rem;height:9rem;padding:.25rem}
.qr img{display:block;width:100%;height:100%}
.made dl{margin:0;min-width:0;font-size:.875rem}.made dd{margin:.15rem 0 0}.made dt{margin-top:.9rem}.made dt:first-child{margin-top:0}.made dt{color:var(--tb-accent)}.made dt code{font-weight:600}
.made .digest{background:none;border:0;padding:0;overflow-wrap:anywhere}
.fault{margin:.6rem 0 0;font-size:.875rem;color:var(--tb-bad)}.fault:empty{display:none}
.results .code{background:var(--tb-bg);margin-top:1.25rem}
@media (min-width:62rem){.try{grid-template-columns:minmax(0,1fr) minmax(0,1.15fr);align-items:center}}
@media (max-width:26rem){.made{flex-direction:column}}
.wash{box-shadow:0 0 0 100vmax var(--tb-panel);clip-path:inset(0 -100vmax);background:var(--tb-panel);margin-top:clamp(4.5rem,9vw,7rem);padding-block:clamp(3rem,6vw,4.5rem)!important}
.split{display:grid;gap:2.25rem 3.5rem}.split>div{min-width:0}
.split>div>p{color:var(--tb-soft);max-width:34rem}
@media (min-width:62rem){.split{grid-template-columns:minmax(0,1fr) minmax(0,1.15fr);align-items:center}}
.split .scroll{margin:0;border:1px solid var(--tb-line);border-radius:var(--tb-radius-large);background:var(--tb-bg);box-shadow:var(--tb-shadow-small)}
.ledger{min-width:0;font-variant-numeric:tabular-nums}
.ledger th,.ledger td{padding:.7rem 1.25rem .7rem 0}.ledger th:first-child,.ledger td:first-child{padding-left:1.25rem}.ledger th:last-child,.ledger td:last-child{padding-right:1.25rem}
.ledger tr:last-child td{border-bottom:0}
.ledger :is(th,td):not(:first-child){text-align:right;white-space:nowrap}
.ledger b{display:block;font-weight:600}.ledger b code{background:none;border:0;padding:0;font-size:.9375em}.ledger span{color:var(--tb-soft);font-size:.8125rem}
.ledger .plus{color:var(--tb-ok)}
.packs{list-style:none;padding:0;margin-top:2rem;display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(13.5rem,100%),1fr))}
.packs li{margin:0;border:1px solid var(--tb-line);border-radius:var(--tb-radius-large);padding:1.25rem}
.packs h3{font-size:1rem}
.packs p{margin-top:.35rem}.packs .price{margin-top:.6rem;font-size:2rem;font-weight:700;letter-spacing:-.03em;line-height:1.1;overflow-wrap:anywhere}
@media (min-width:40.01rem) and (max-width:60rem){.packs{grid-template-columns:1fr 1fr}}
@media (max-width:40rem){.packs li{display:grid;grid-template-columns:minmax(0,1fr) auto;column-gap:1rem;padding:1rem 1.25rem}.packs .price{grid-column:2;grid-row:1/span 2;align-self:center;margin:0;font-size:1.5rem}.packs .small{grid-column:1/-1}}
.packs+p{max-width:46rem;margin-top:1.25rem}
.reasons{list-style:none;padding:0;margin-top:2rem;display:grid;gap:2.5rem 3rem;grid-template-columns:repeat(auto-fit,minmax(min(18rem,100%),1fr))}
.reasons li{margin:0}
.reasons h3{display:flex;gap:.6rem;align-items:center;font-size:1.0625rem}.reasons h3 svg{flex:none;color:var(--tb-accent)}
.reasons p{margin-top:.5rem;color:var(--tb-soft)}
.closing{text-align:center}.closing .gate{margin:0 auto 1.5rem;width:15rem}.closing .lead{margin-inline:auto}.closing .actions{justify-content:center}
.slim footer{margin-top:clamp(5rem,9vw,7.5rem)}
.lost{padding:3rem 0 4rem;text-align:center}.lost .gate{margin:0 auto 2rem;width:16rem}.lost h1{font-size:clamp(2rem,5vw,2.75rem)}.lost .lead{margin-inline:auto}.lost .actions{justify-content:center}
.code-word{font:650 1rem/1 var(--tb-mono);color:var(--tb-accent);margin:0 0 1rem}
@media (prefers-reduced-motion:reduce){.slim .cards a{transition:none}.slim .cards a:hover{transform:none}}
.mark{display:inline-block;padding:.1rem .55rem;border-radius:99px;background:var(--tb-tint);color:var(--tb-accent);font-size:.75rem;font-weight:600;vertical-align:.15em;white-space:nowrap}
.packs .chosen{border-color:var(--tb-accent);box-shadow:inset 0 0 0 1px var(--tb-accent)}
.slim .pricing h1{font-size:clamp(2.1rem,5vw,2.75rem)}.slim .pricing h2{font-size:1.5rem}.pricing>.lead{margin-top:.6rem}
.pricing>section:first-of-type{padding-top:1.5rem}.pricing>section{padding-top:4rem}
.pricing .packs{margin-top:0}
.pricing .actions{align-items:center;margin:0}
.buy{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.75rem 2rem;margin-top:1.5rem}.buy p{margin:0}
.pricing>.card{max-width:52rem;margin-top:2rem;padding:1.75rem;border:1px solid var(--tb-line);border-radius:var(--tb-radius-large);background:var(--tb-panel)}.card .actions{margin-top:1.25rem}
.estimate{display:grid;gap:.75rem 2.5rem;grid-template-columns:minmax(0,14rem) minmax(0,1fr);align-items:center;margin:1.25rem 0;padding:1.25rem 1.4rem;border-radius:var(--tb-radius-large);background:var(--tb-panel)}
.estimate p{margin:0}.estimate label{display:block;font-size:.875rem;font-weight:600;margin-bottom:.3rem}
.estimate input{width:100%;min-height:2.75rem;padding:.3rem .75rem;font:inherit;color:var(--tb-ink);background:var(--tb-bg);border:1px solid var(--tb-edge);border-radius:var(--tb-radius,8px);font-variant-numeric:tabular-nums}
.estimate>p:last-child{min-height:4.4rem}.estimate b{font-size:1.5rem;font-weight:700;letter-spacing:-.02em;line-height:1.3}.estimate small{display:block;margin-top:.2rem;color:var(--tb-soft);font-size:.875rem}
.pricing table{min-width:0}.pricing tbody th{font-weight:600}.number,.pricing tbody th{font-variant-numeric:tabular-nums}.number{text-align:right}
.ticks{list-style:none;padding:0}.ticks li{display:flex;gap:.65rem;margin:0 0 .7rem}.ticks svg{margin-top:.25rem;color:var(--tb-accent)}
.questions{margin-top:.75rem;border-top:1px solid var(--tb-line)}.questions details{border-bottom:1px solid var(--tb-line)}
.questions summary{display:flex;align-items:center;justify-content:space-between;gap:1rem;cursor:pointer;padding:.95rem 0;font-weight:600;list-style:none}.questions summary::-webkit-details-marker{display:none}
.questions summary:hover{color:var(--tb-accent)}.questions svg{flex:none;color:var(--tb-soft)}.questions [open] svg{transform:rotate(180deg)}
.questions p{margin:0 0 1.1rem;max-width:44rem;color:var(--tb-soft)}
@media (min-width:62rem){.pricing>.beside{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,2.4fr);gap:2.5rem}.beside>:last-child{margin-top:.15rem}}
@media (max-width:44rem){.estimate{grid-template-columns:minmax(0,1fr)}}
${GATE_STYLE}`.replace(/\n/g, "");
