/**
 * Draws SVGs. One shows how time per operation, bytes and memory grow with the number of
 * operations. The other shows how the cost of operations grows with the number of documents.
 */

const WIDTH = 720;
const HEIGHT = 180;
const PAD = { left: 60, right: 16, top: 28, bottom: 28 };
const SERIES = [
  { field: 'meanMs', title: 'ms per operation (mean)', colour: '#0f766e' },
  { field: 'megabytes', title: 'MB on disk', colour: '#b45309' },
  { field: 'rssMb', title: 'MB of memory', colour: '#4338ca' },
];

export function growthPlot(scenarios) {
  const charts = scenarios.flatMap(({ name, points }) =>
    SERIES.map(({ field, title, colour }) => ({ title: `${name}: ${title}`, points, field, colour })),
  );
  return svgOf(charts);
}

/**
 * Draws each cost on two logarithmic axes. A rising line means that the cost grows with the number
 * of documents.
 */
export function sizesPlot(costs) {
  const series = [...costs].map(([title, points]) => ({
    title,
    points: points.map(({ at, value }) => ({ at: Math.log10(at), value: Math.log10(1 + value) })),
    field: 'value',
    colour: '#0f766e',
    most: points.reduce((most, { value }) => Math.max(most, value), 0),
    lastText: `${points.at(-1).at.toLocaleString('en-US')} documents`,
  }));
  return svgOf(series);
}

function svgOf(charts) {
  const bodies = charts.map(
    (chart, at) => `<g transform="translate(0 ${at * HEIGHT})">${chartOf(chart)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT * charts.length}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#ffffff"/>
${bodies.join('\n')}
</svg>
`;
}

function chartOf({ title, points, field, colour, most: mostShown, lastText }) {
  const most = Math.max(...points.map((point) => point[field])) || 1;
  const last = points.at(-1).at;
  const first = lastText === undefined ? 0 : points[0].at;
  const x = (at) => PAD.left + ((at - first) / (last - first || 1)) * (WIDTH - PAD.left - PAD.right);
  const y = (value) => HEIGHT - PAD.bottom - (value / most) * (HEIGHT - PAD.top - PAD.bottom);
  const line = points.map((point) => `${x(point.at).toFixed(1)},${y(point[field]).toFixed(1)}`).join(' ');
  return [
    `<text x="${PAD.left}" y="16" font-weight="bold">${title}</text>`,
    `<line x1="${PAD.left}" y1="${y(0)}" x2="${WIDTH - PAD.right}" y2="${y(0)}" stroke="#9ca3af"/>`,
    `<text x="${PAD.left - 6}" y="${y(0)}" text-anchor="end">0</text>`,
    `<text x="${PAD.left - 6}" y="${y(most) + 4}" text-anchor="end">${Number((mostShown ?? most).toPrecision(3))}</text>`,
    `<text x="${WIDTH - PAD.right}" y="${HEIGHT - 10}" text-anchor="end">${lastText ?? `${last.toLocaleString('en-US')} operations`}</text>`,
    `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${line}"/>`,
  ].join('');
}
