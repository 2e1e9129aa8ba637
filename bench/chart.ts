import {ratioByCpu} from './figures.ts';
import {all, comparisonOf, one, type Results} from './report.ts';

const rowHeight = 30;
const left = 210;
/** The width of the ratio 1, in pixels. */
const unit = 400;

/** A bar chart of the ratios, with a line from quartile to quartile on each bar. */
export function chartOf(results: Results): string {
  const bars = all(results, 'one').flatMap((hot) => [
    {name: `${hot.name}, one link`, kind: 'one', ...ratioByCpu(comparisonOf(results, hot))},
    {
      name: `${hot.name}, ${results.links.toLocaleString('en')} links`,
      kind: 'many',
      ...ratioByCpu(comparisonOf(results, one(results, 'many', hot.name))),
    },
  ]);
  const width = left + Math.ceil(unit * Math.max(1, ...bars.map(({high}) => high))) + 40;
  const height = bars.length * rowHeight + 50;
  const rows = bars.map(({name, kind, low, value, high}, index) => {
    const y = index * rowHeight + 36;
    const x = (ratio: number): number => left + Math.round(ratio * unit);
    return `<text class="name" x="${left - 10}" y="${y + 15}">${name} <tspan class="ratio">${value.toFixed(2)}</tspan></text>
<rect class="${kind}" x="${left}" y="${y}" width="${x(value) - left}" height="22" rx="3"/>
<path class="quartiles" d="M${x(low)} ${y + 7}v8m0 -4H${x(high)}m0 -4v8"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">CPU time of a bare Koa redirect divided by that of a counted one, for each store, with quartiles</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f; }
.name { text-anchor: end; }
.line { text-anchor: middle; }
.ratio, .heading { font-weight: 600; }
.one { fill: #1a7f64; }
.many { fill: #7fb8a6; }
.baseline { stroke: #24292f; stroke-dasharray: 3 3; }
.quartiles { stroke: #24292f; fill: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #d7dde3; }
  .one { fill: #3fb68f; }
  .many { fill: #2a6b57; }
  .baseline, .quartiles { stroke: #d7dde3; }
}
</style>
<text class="heading" x="10" y="20">CPU time of a bare Koa redirect divided by that of a counted one (longer is cheaper)</text>
${rows.join('\n')}
<line class="baseline" x1="${left + unit}" x2="${left + unit}" y1="30" y2="${height - 16}"/>
<text class="line" x="${left + unit}" y="${height - 2}">bare Koa</text>
</svg>
`;
}
