/**
 * Collects results by place, row and product. Formats them as JSON and as tables with ratios and
 * targets.
 */
import { speedOfMachine, targetOf } from './targets.mjs';

const sorted = (values) => [...values].sort((a, b) => a - b);
const median = (values) => sorted(values)[Math.floor(values.length / 2)];

export function createResults() {
  const places = new Map();
  const lacking = new Map();
  const rowsOf = (place) => {
    if (!places.has(place)) places.set(place, new Map());
    return places.get(place);
  };
  /** Returns the median of a measured limit of this machine. */
  const limitOf = (what) => {
    for (const [key, byAdapter] of rowsOf('Node'))
      if (JSON.parse(key)[1] === what) return median([...byAdapter.values()][0]);
    throw new Error(`no row: ${what}`);
  };
  const speed = () => speedOfMachine(limitOf);
  return {
    speed,
    lacks: (place, adapter, text) => {
      if (text) lacking.set(adapter, text);
      rowsOf(place);
    },
    add: (place, adapter, { id, what, value, unit }) => {
      const rows = rowsOf(place);
      const key = JSON.stringify([id, what, unit]);
      if (!rows.has(key)) rows.set(key, new Map());
      const byAdapter = rows.get(key);
      byAdapter.set(adapter, [...(byAdapter.get(adapter) ?? []), value]);
    },
    toJson: (about) => ({
      ...about,
      rows: [...places].flatMap(([place, rows]) =>
        [...rows].flatMap(([key, byAdapter]) => {
          const [id, what, unit] = JSON.parse(key);
          return [...byAdapter].map(([product, values]) => ({ place, id, what, unit, product, values }));
        }),
      ),
    }),
    toMarkdown: () =>
      [...places]
        .map(([place, rows]) => `## ${place}\n\n${tableOf(place, rows, speed())}`)
        .concat([
          `## Missing features\n\n${[...lacking].map(([name, text]) => `- ${name}: ${text}`).join('\n')}\n`,
        ])
        .join('\n'),
  };
}

/**
 * Returns the table of a place. Each cell shows the median of the rounds, its spread, and the ratio
 * to the first product of the row.
 */
function tableOf(place, rows, speed) {
  const adapters = [...new Set([...rows.values()].flatMap((byAdapter) => [...byAdapter.keys()]))];
  const lines = [
    ['', 'Workload', 'Target', ...adapters],
    ['---', '---', '---', ...adapters.map(() => '---')],
  ];
  for (const [key, byAdapter] of rows) {
    const [id, what, unit] = JSON.parse(key);
    const first = median([...byAdapter.values()][0]);
    const cells = adapters.map((adapter) => {
      const values = byAdapter.get(adapter);
      return values === undefined ? '-' : cellOf(values, unit, first);
    });
    const medianOf = (product) => (byAdapter.has(product) ? median(byAdapter.get(product)) : undefined);
    const strict = medianOf('Fixpoint strict') ?? medianOf('Fixpoint');
    const target =
      strict === undefined
        ? ''
        : targetOf(place, what, { strict, relaxed: medianOf('Fixpoint relaxed') }, speed);
    lines.push([id, what, target, ...cells]);
  }
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

function cellOf(values, unit, first) {
  const value = median(values);
  const ordered = sorted(values);
  const spread =
    values.length > 1 ? ` ±${Math.round(((ordered.at(-1) - ordered[0]) / 2 / value) * 100)} %` : '';
  return `${figure(value)} ${unit} (x${(value / first).toPrecision(2)})${spread}`;
}

const figure = (value) =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
