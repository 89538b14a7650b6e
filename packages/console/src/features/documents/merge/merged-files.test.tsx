import { act, cleanup, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import type { Files } from '../choices/merge-files.ts';
import { type FileChoices, MergedFiles, useFileChoices } from './merged-files.tsx';

withPages();

const file = (cid: string, size: number, type = 'image/png') => ({ cid, size, type, file: () => undefined });
const [a, b] = [file('a', 2048), file('b', 900, '')];

async function draw(files?: Files) {
  const held: { choices?: FileChoices } = {};
  let become: (next: Files) => void = () => undefined;
  function Page() {
    const [shown, setShown] = useState(files);
    become = setShown;
    held.choices = useFileChoices(shown);
    return <MergedFiles choices={held.choices} mine="Mine" other="Grace" otherPerson="Grace Hopper" />;
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  return {
    result: () => held.choices?.result,
    isTouched: () => held.choices?.isTouched,
    outdated: () => held.choices?.outdated.map(({ name }) => name),
    decisions: () => held.choices?.decisions(),
    become: (next: Files) => act(async () => become(next)),
  };
}

const part = () => screen.queryByRole('region', { name: 'Files' });
const lines = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);
const tick = (name: RegExp) => act(async () => screen.getByRole('checkbox', { name }).click());

describe('the files of a merge', () => {
  test('shows name, type, size and side of each file that differs, and why it is kept or not', async () => {
    await draw({
      base: { _files: { 'old.png': a } },
      mine: { _files: { 'p.png': a, 'same.png': a } },
      theirs: { _files: { 'p.png': b, 'same.png': a, 'old.png': a, 'new.png': a } },
    });
    expect(lines()).toEqual([
      'p.pngimage/png · 2 kB, MineMine',
      'p.pngunknown type · 900 B, Gracekept as p (2).pngGrace',
      'old.pngimage/png · 2 kB, Graceremoved in: MineGrace',
      'new.pngimage/png · 2 kB, Gracenot in: MineGrace',
    ]);
    expect(part()?.textContent).toContain('1 more is the same in both.');
    const boxes = within(part() as HTMLElement).getAllByRole<HTMLInputElement>('checkbox');
    expect(boxes.map(({ checked }) => checked)).toEqual([true, true, false, true]);
  });

  test('keeps the files that the user ticks, under their own name if it is free', async () => {
    const { result, isTouched } = await draw({
      base: { _files: { 'old.png': a } },
      mine: { _files: { 'p.png': a } },
      theirs: { _files: { 'p.png': b, 'old.png': a } },
    });
    expect([result(), isTouched()]).toEqual([{ _files: { 'p.png': a, 'p (2).png': b } }, false]);
    await tick(/^p\.png .*Mine/);
    await tick(/^old\.png/);
    expect([result(), isTouched()]).toEqual([{ _files: { 'p.png': b, 'old.png': a } }, true]);
  });

  test('forgets a decision about a file when the other side changes it, and reports that', async () => {
    const p = (entry: object) => ({ _files: { 'p.png': entry } });
    const [base, mine] = [p(file('o', 1)), p(a)];
    const { result, outdated, become } = await draw({ base, mine, theirs: p(b) });
    await tick(/^p\.png .*Mine/);
    expect([result(), outdated()]).toEqual([p(b), []]);
    await become({ base, mine, theirs: {} });
    expect([result(), outdated()]).toEqual([p(a), ['p.png']]);
    await tick(/^p\.png .*Mine/);
    expect([result(), outdated()]).toEqual([{}, []]);
    await become({ base, mine, theirs: mine });
    expect([result(), outdated()]).toEqual([p(a), []]);
  });

  test('follows the decisions of an earlier merge about the same content', async () => {
    const [base, mine] = [{ _files: { f: a, g: a } }, { _files: { f: a } }];
    const first = await draw({ base, mine: base, theirs: {} });
    await tick(/^f /);
    const decided = first.decisions();
    expect([...(decided?.values() ?? [])]).toEqual([true]);
    cleanup();
    const { result } = await draw({ base, mine, theirs: {}, ...(decided && { decided }) });
    expect(result()).toEqual({ _files: { f: a } });
    expect(lines()).toEqual(['fimage/png · 2 kB, Mineremoved in: GraceMine']);
    cleanup();
    const changed = { base, mine, theirs: { _files: { f: b } }, ...(decided && { decided }) };
    expect((await draw(changed)).result()).toEqual({ _files: { f: a, 'f (2)': b } });
  });

  test('is absent without files that differ', async () => {
    const { result } = await draw({ base: {}, mine: { _files: { x: a } }, theirs: { _files: { x: a } } });
    expect([part(), result()]).toEqual([null, { _files: { x: a } }]);
  });

  test('is absent for a draft, which holds no files', async () => {
    const { result } = await draw();
    expect([part(), result()]).toEqual([null, {}]);
  });
});
