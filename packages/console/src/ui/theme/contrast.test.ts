import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const css = readFileSync(new URL('../../tokens.css', import.meta.url), 'utf8');
type Tokens = Readonly<Record<string, string>>;

function tokensOf(selector: string): Tokens {
  const block = css.slice(css.indexOf(`${selector} {`)).split('}')[0] ?? '';
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]),
  );
}

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(tokens: Tokens, a: string, b: string): number {
  const [dark = 0, light = 0] = [tokens[a], tokens[b]]
    .map((color) => luminance(color ?? ''))
    .sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const BACKGROUNDS = ['bg', 'surface', 'sunken', 'hover'];
const CODE = ['surface', 'sunken'];
const TEXTS: [text: string, backgrounds: string[]][] = [
  ['ink', [...BACKGROUNDS, 'pressed', 'accent-soft', 'history-soft', 'conflict-soft']],
  ['ink-2', [...BACKGROUNDS, 'pressed', 'accent-soft', 'conflict-soft']],
  ['ink-3', [...BACKGROUNDS, 'accent-soft']],
  ['accent-ink', [...BACKGROUNDS, 'pressed', 'accent-soft']],
  ['history', [...BACKGROUNDS, 'history-soft']],
  ['conflict', [...BACKGROUNDS, 'conflict-soft']],
  ['danger', [...BACKGROUNDS, 'danger-soft']],
  ['on-accent', ['accent', 'accent-hover']],
  ['surface', ['danger', 'ink']],
  ['k-key', CODE],
  ['k-str', CODE],
  ['k-num', CODE],
  ['k-word', CODE],
];

describe.each([
  ['light', ':root'],
  ['dark', '.dark'],
])('the %s theme', (_, selector) => {
  const tokens = tokensOf(selector);

  test.each(TEXTS)('[U13] keeps %s readable on each of its backgrounds', (text, backgrounds) => {
    for (const background of backgrounds)
      expect([background, contrast(tokens, text, background)]).toEqual([
        background,
        expect.toSatisfy(atLeast(4.5)),
      ]);
  });

  test.each(['control-line', 'accent'])('[U13] keeps an edge of %s visible', (edge) => {
    for (const background of ['bg', 'surface'])
      expect([background, contrast(tokens, edge, background)]).toEqual([
        background,
        expect.toSatisfy(atLeast(3)),
      ]);
  });
});

const atLeast = (least: number) => (found: number) => found >= least;
