"""How a report looks: calm, on paper and in the dark, on a desk and on a phone."""

from __future__ import annotations

STYLE = """\
:root {
  --back: #fbfbfa; --sheet: #ffffff; --ink: #22262b; --soft: #5c6670; --rule: #e1e4e8;
  --blue: #3b76b5; --green: #3f8f6d; --amber: #b57a1b; --red: #b4452f; --grey: #b6bdc5;
  --good: #2c7355; --warn: #8a5a0b; --bad: #a23a26;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #15181b; --sheet: #1c2024; --ink: #e4e7ea; --soft: #9ca6b0; --rule: #31373d;
    --blue: #6fa5db; --green: #6dbb98; --amber: #d8a548; --red: #e07f69; --grey: #596169;
    --good: #7cc8a5; --warn: #dfb25c; --bad: #ee9883;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--back); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 56px; }
h1, h2 { line-height: 1.25; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 6px; }
h2 { font-size: 1.1rem; margin: 0 0 12px; }
p, ul { margin: 0; overflow-wrap: anywhere; }
ul { padding-left: 1.2em; }
li + li { margin-top: 4px; }
section + section { border-top: 1px solid var(--rule); padding-top: 24px; }
section { margin-top: 28px; }
section > * + *, .charts + * { margin-top: 14px; }
section > h2 + * { margin-top: 0; }
header {
  background: var(--sheet); border: 1px solid var(--rule); border-left: 5px solid var(--grey);
  border-radius: 6px; padding: 18px 20px;
}
header.good { border-left-color: var(--green); }
header.warn { border-left-color: var(--amber); }
header.bad { border-left-color: var(--red); }
header.good strong, .good { color: var(--good); }
header.warn strong, .warn { color: var(--warn); }
header.bad strong, .bad { color: var(--bad); }
header.good, header.warn, header.bad { color: var(--ink); }
.verdict strong { text-transform: capitalize; margin-right: 6px; }
dl { display: flex; flex-wrap: wrap; gap: 10px 32px; margin: 16px 0 0; }
dt { color: var(--soft); font-size: 0.8rem; }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td {
  border-bottom: 1px solid var(--rule); padding: 7px 16px 7px 0; text-align: left;
  vertical-align: top; overflow-wrap: break-word;
}
th { color: var(--soft); font-weight: 500; font-size: 0.8rem; white-space: nowrap; }
.figure { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.name { white-space: nowrap; }
details summary { cursor: pointer; color: var(--soft); }
details[open] summary { margin-bottom: 10px; }
pre {
  background: var(--sheet); border: 1px solid var(--rule); border-radius: 6px; padding: 12px 14px;
  font: 0.85rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  white-space: pre-wrap; overflow-wrap: anywhere;
}
pre i { color: var(--soft); font-style: normal; }
.charts {
  display: grid; gap: 18px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr));
}
figure {
  margin: 0; background: var(--sheet); border: 1px solid var(--rule); border-radius: 6px;
  padding: 12px 14px;
}
figure div { display: flex; flex-wrap: wrap; gap: 2px 11px; margin-bottom: 8px; }
h3 { font-size: 0.95rem; margin: 0 auto 0 0; }
figure span { color: var(--soft); font-size: 0.75rem; white-space: nowrap; }
figure i {
  display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 4px;
}
figcaption { color: var(--soft); font-size: 0.8rem; margin-top: 4px; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
svg .end { text-anchor: end; }
svg .mid { text-anchor: middle; }
svg .grid { stroke: var(--rule); }
svg .axis { stroke: var(--soft); }
svg .line { fill: none; stroke: var(--blue); stroke-width: 2; }
svg .area { fill: var(--blue); opacity: 0.12; }
svg circle { fill: var(--blue); }
.k-implement, .k-work { fill: var(--blue); }
.b-implement, .b-work { background: var(--blue); }
.k-review { fill: var(--green); }
.b-review { background: var(--green); }
.k-fix { fill: var(--amber); }
.b-fix { background: var(--amber); }
.k-wait { fill: var(--grey); }
.b-wait { background: var(--grey); }
.k-cap { fill: var(--red); }
.b-cap { background: var(--red); }
@media (max-width: 640px) {
  main { padding: 14px 12px 40px; }
  svg text { font-size: 15px; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr {
    display: flex; flex-wrap: wrap; gap: 2px 14px; border-bottom: 1px solid var(--rule);
    padding: 8px 0;
  }
  td, td.figure, td.name {
    border: 0; padding: 0; text-align: left; white-space: normal; overflow-wrap: anywhere;
  }
  td:not(.figure):not(.name) { flex: 1 0 100%; }
  td:empty { display: none; }
  td::before { content: attr(data-head) " "; color: var(--soft); font-size: 0.8rem; }
  td:first-child::before { content: none; }
  td:first-child { font-weight: 600; }
}
"""
