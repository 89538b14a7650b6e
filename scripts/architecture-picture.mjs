/**
 * Draws docs/images/architecture.svg from the plan in tests/architecture/house.ts. The picture
 * shows the packages, the folders of each package, and which package uses which. A test fails when
 * the picture is out of date.
 *
 * `node scripts/architecture-picture.mjs` writes the picture.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-api';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const PICTURE = join(ROOT, 'docs/images/architecture.svg');

/** Sizes in pixels. */
const ROOM = { height: 26, gap: 8, padding: 20 };
const BOX = { padding: 16, title: 30, gap: 40, between: 56, widthMin: 150 };
const LETTER = 7.1;

/** Short descriptions of the packages, drawn after their names. */
const SUBJECTS = {
  console: 'the React application',
  cli: 'the fixpoint command',
  server: 'for back ends of applications',
  'vite-plugin': 'serves the console',
  create: 'new applications',
  react: 'hooks',
  vue: 'live values',
  svelte: 'live values',
  solid: 'live values',
  engine: 'the database',
  cloud: 'the server',
  protocol: 'messages, errors, limits',
};

/**
 * Returns the exports of house.ts. That file contains types but no imports, so this script can
 * transpile and import it without other files.
 */
export async function readPlans() {
  const source = readFileSync(join(ROOT, 'tests/architecture/house.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}

/**
 * Groups places by level. A place of level 0 uses no other place; every other place is one level
 * above the highest place that it uses.
 */
function levelsOf(plan) {
  const levels = [];
  const levelOf = (place) => 1 + Math.max(-1, ...plan[place].map(levelOf));
  for (const place of Object.keys(plan)) {
    const level = levelOf(place);
    levels[level] = [...(levels[level] ?? []), place];
  }
  return levels;
}

/** Returns the arrows that aren't implied by a longer path of arrows. */
function arrowsOf(plan) {
  const reaches = (from, to) => plan[from].some((next) => next === to || reaches(next, to));
  return Object.entries(plan).flatMap(([from, targets]) =>
    targets
      .filter((to) => !targets.some((other) => other !== to && reaches(other, to)))
      .map((to) => ({ from, to })),
  );
}

const widthOfText = (text) => text.length * LETTER + ROOM.padding;
const widthOfRow = (rooms) =>
  rooms.reduce((sum, room) => sum + widthOfText(room), ROOM.gap * (rooms.length - 1));

/**
 * Returns rows of folders, the highest level first. A level that is wider than `widthMax` is split
 * into several rows.
 */
function rowsOf(rooms, widthMax) {
  const rows = [];
  for (const level of levelsOf(rooms).reverse()) {
    rows.push([]);
    for (const room of level) {
      if (rows.at(-1).length > 0 && widthOfRow([...rows.at(-1), room]) > widthMax) rows.push([]);
      rows.at(-1).push(room);
    }
  }
  return rows;
}

function boxOf(name, rooms) {
  const rows = rooms === undefined ? [] : rowsOf(rooms, 560);
  const width = Math.max(
    BOX.widthMin,
    widthOfText(`${name}  ${SUBJECTS[name] ?? ''}`) + BOX.padding,
    ...rows.map((row) => widthOfRow(row) + 2 * BOX.padding),
  );
  const height = BOX.title + 2 * BOX.padding - 8 + rows.length * (ROOM.height + ROOM.gap);
  return { name, rows, width, height };
}

/**
 * Computes the position of each box. Each level of packages is one centred row, with the highest
 * level on top.
 */
function placed(packages, roomsOf) {
  const rows = levelsOf(packages)
    .reverse()
    .map((names) => names.map((name) => boxOf(name, roomsOf(name))));
  const widthOf = (row) => row.reduce((sum, { width }) => sum + width, BOX.gap * (row.length - 1));
  const width = Math.max(...rows.map(widthOf)) + 2 * BOX.gap;
  let y = BOX.gap / 2;
  const boxes = rows.flatMap((row) => {
    let x = (width - widthOf(row)) / 2;
    const top = y;
    const tallest = Math.max(...row.map(({ height }) => height));
    y += tallest + BOX.between;
    return row.map((box) => {
      const at = { ...box, x, y: top + (tallest - box.height) / 2 };
      x += box.width + BOX.gap;
      return at;
    });
  });
  return { boxes, width, height: y - BOX.between + BOX.gap / 2 };
}

const number = (value) => String(Math.round(value * 10) / 10);

function drawnBox({ name, rows, x, y, width, height }) {
  const rooms = rows.flatMap((row, at) => {
    let left = x + (width - widthOfRow(row)) / 2;
    const top = y + BOX.title + BOX.padding + at * (ROOM.height + ROOM.gap) - 4;
    return row.map((room) => {
      const wide = widthOfText(room);
      const middle = left + wide / 2;
      const drawn = `<rect class="room" x="${number(left)}" y="${number(top)}" width="${number(wide)}" height="${ROOM.height}" rx="6"/><text class="name" x="${number(middle)}" y="${number(top + 17)}">${room}</text>`;
      left += wide + ROOM.gap;
      return drawn;
    });
  });
  return [
    `<rect class="box" x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}" rx="10"/>`,
    `<text class="title" x="${number(x + width / 2)}" y="${number(y + 26)}">${name} <tspan class="subject">${SUBJECTS[name] ?? ''}</tspan></text>`,
    ...rooms,
  ].join('\n');
}

function drawnArrow({ from, to }, boxes) {
  const [above, below] = [from, to].map((name) => boxes.find((box) => box.name === name));
  const [x, y] = [above.x + above.width / 2, above.y + above.height];
  const [toX, toY] = [below.x + below.width / 2, below.y - 7];
  const bend = (toY - y) / 2;
  return `<path class="arrow" marker-end="url(#tip)" d="M${number(x)} ${number(y)}C${number(x)} ${number(y + bend)} ${number(toX)} ${number(toY - bend)} ${number(toX)} ${number(toY)}"/>`;
}

const STYLE = `
  text { font: 13px system-ui, sans-serif; text-anchor: middle; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; } .subject { font-size: 13px; font-weight: 400; fill: #59636e; }
  .page { fill: #ffffff; } .box { fill: #f6f8fa; stroke: #d1d9e0; } .room { fill: #ffffff; stroke: #d1d9e0; }
  .arrow { fill: none; stroke: #59636e; stroke-width: 1.5; } .tip { fill: #59636e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .subject { fill: #9198a1; }
    .page { fill: #0d1117; } .box { fill: #151b23; stroke: #3d444d; } .room { fill: #212830; stroke: #3d444d; }
    .arrow { stroke: #9198a1; } .tip { fill: #9198a1; }
  }`;

/** Returns the picture as SVG. Its colours follow the reader's choice of light or dark. */
export async function architecturePicture() {
  const { PLANS } = await readPlans();
  const [{ plan: packages }] = PLANS;
  const roomsOf = (name) => PLANS.find(({ root }) => root === `packages/${name}/src`)?.plan;
  const { boxes, width, height } = placed(packages, roomsOf);
  const size = `${Math.ceil(width)} ${Math.ceil(height)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" role="img" aria-label="Packages and rooms of Fixpoint">`,
    `<style>${STYLE}\n</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8Z"/></marker></defs>',
    `<rect class="page" width="100%" height="100%"/>`,
    ...boxes.map(drawnBox),
    ...arrowsOf(packages).map((arrow) => drawnArrow(arrow, boxes)),
    '</svg>\n',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(dirname(PICTURE), { recursive: true });
  writeFileSync(PICTURE, await architecturePicture());
}
