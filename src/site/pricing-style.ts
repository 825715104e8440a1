/** Prices, on the pricing page and the front page. */
export const PRICING_STYLE = `
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
`;
