/** QR codes (ISO/IEC 18004) of short texts: bytes, correction level M, versions 1 to 15, always the chequered mask, which readers learn from the code itself. */
import { correctionFor, dataFor, versionFor } from './qr-blocks.ts';

/** Rows of modules; true is dark. @throws RangeError for a text of more than 410 bytes */
export function qrModules(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  const size = version * 4 + 17;
  const dark: boolean[][] = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const fixed: boolean[][] = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const set = (x: number, y: number, isDark: boolean) => {
    const [row, marks] = [dark[y], fixed[y]];
    if (row === undefined || marks === undefined || x < 0 || x >= size) return;
    row[x] = isDark;
    marks[x] = true;
  };
  drawPatterns(version, size, set);
  drawFormat(version, size, set);
  fill(correctionFor(dataFor(bytes, version), version), size, dark, fixed);
  return dark;
}

type SetModule = (x: number, y: number, isDark: boolean) => void;

/** What lets a reader find the code: corners, the ruled lines, and small squares between. */
function drawPatterns(version: number, size: number, set: SetModule): void {
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(cx, cy, 4, (distance) => distance !== 2 && distance !== 4, set);
  const places = alignmentPlaces(version, size);
  const last = places.length - 1;
  places.forEach((x, i) => {
    places.forEach((y, j) => {
      const isCorner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (!isCorner) square(x, y, 2, (distance) => distance !== 1, set);
    });
  });
}

function square(
  cx: number,
  cy: number,
  radius: number,
  isDark: (distance: number) => boolean,
  set: SetModule,
): void {
  for (let dy = -radius; dy <= radius; dy += 1)
    for (let dx = -radius; dx <= radius; dx += 1)
      set(cx + dx, cy + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
}

function alignmentPlaces(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => size - 7 - step * (count - 2 - at))];
}

/** Level M and mask 0 make the five bits of the format all zero; 0x5412 is what they are covered with. */
const FORMAT = 0x5412;

function drawFormat(version: number, size: number, set: SetModule): void {
  const bit = (at: number) => ((FORMAT >>> at) & 1) === 1;
  for (let at = 0; at < 6; at += 1) set(8, at, bit(at));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let at = 9; at < 15; at += 1) set(14 - at, 8, bit(at));
  for (let at = 0; at < 8; at += 1) set(size - 1 - at, 8, bit(at));
  for (let at = 8; at < 15; at += 1) set(8, size - 15 + at, bit(at));
  set(8, size - 8, true);
  if (version < 7) return;
  let rest = version;
  for (let at = 0; at < 12; at += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const told = (version << 12) | rest;
  for (let at = 0; at < 18; at += 1) {
    const [far, near] = [size - 11 + (at % 3), Math.floor(at / 3)];
    const isDark = ((told >>> at) & 1) === 1;
    set(far, near, isDark);
    set(near, far, isDark);
  }
}

/** Up and down in pairs of columns from the right, around what is fixed; each module is turned where the mask is dark. */
function fill(bytes: Uint8Array, size: number, dark: boolean[][], fixed: boolean[][]): void {
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const isUpward = ((right + 1) & 2) === 0;
      const y = isUpward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = dark[y];
        if (row === undefined || fixed[y]?.[x] === true) continue;
        const isDark = (((bytes[at >>> 3] ?? 0) >>> (7 - (at & 7))) & 1) === 1;
        row[x] = isDark !== ((x + y) % 2 === 0);
        at += 1;
      }
    }
  }
}
