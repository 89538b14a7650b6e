import { screen, within } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import type { People } from '../../../values/who-wrote.ts';
import { withConflict } from '../conflicts/real-conflict.fixture.ts';
import { knownVersions } from '../known-versions.fixture.ts';
import { LatestVersions } from './latest-versions.tsx';

withPages();
withEngine();

const draw = (database: Database, edited: readonly string[] = [], people?: People) =>
  drawPages([{ path: '/', element: <LatestVersions {...{ database, people, edited }} id="milk" /> }], '/');

const part = () => screen.findByRole('region', { name: 'Latest versions' });
const lines = async () =>
  within(await part())
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

describe('the latest versions of a document', () => {
  test('says who changed what, newest first', async () => {
    const database = await freshLocal([{ _id: 'milk', litres: 1, shelf: 'A' }]);
    await database.put({ _id: 'milk', litres: 2, shelf: 'B' });
    await draw(database);
    expect(await lines()).toEqual([
      'This devicejust nowshelf: A → B and 1 more',
      'This devicejust nowCreated',
    ]);
    expect(within(await part()).getByRole('heading').textContent).toBe('Versions 2');
  });

  test('compares versions of two devices with the version before both', async () => {
    await draw((await withConflict()).database);
    const changes = (await lines()).map((text) => /litres: .*/.exec(text ?? '')?.[0]);
    expect(changes.slice(0, 2).sort()).toEqual(['litres: 1 → 2', 'litres: 1 → 3']);
  });

  test('begins with the fields that aren’t saved yet', async () => {
    await draw(await freshLocal([{ _id: 'milk' }]), ['litres', '__proto__']);
    expect((await lines())[0]).toBe('You not saved yetlitres, __proto__');
  });

  test('shows five versions at most, and how many it shows', async () => {
    const database = await freshLocal([{ _id: 'milk', litres: 0 }]);
    for (let litres = 1; litres < 8; litres += 1) await database.put({ _id: 'milk', litres });
    await draw(database);
    expect((await lines()).map((text) => /litres: .*/.exec(text ?? '')?.[0])).toEqual([
      'litres: 6 → 7',
      'litres: 5 → 6',
      'litres: 4 → 5',
      'litres: 3 → 4',
      'litres: 2 → 3',
    ]);
    expect(within(await part()).getByRole('heading').textContent).toBe('Versions latest 5');
  });

  test('names people, and devices of people', async () => {
    const time = Date.now() - 120_000;
    const versions = [
      { value: { _id: 'milk', a: 3 }, time, device: 'bbbbbbbb' },
      { value: { _id: 'milk', a: 2 }, time, device: 'x', received: { atMs: time, account: 'u1' } },
      { value: { _id: 'milk', a: 1 }, time },
    ];
    const database = {
      ...knownVersions(versions),
      subscribe: () => () => undefined,
      device: async () => 'own',
    } as unknown as Database;
    await draw(database, [], new Map([['u1', { name: 'Ada', email: 'ada@example.com' }]]));
    expect(await lines()).toEqual([
      'Device bbbbbb2 minutes agoa: 2 → 3',
      'Ada2 minutes agoa: 1 → 2',
      'Unknown author2 minutes agoCreated',
    ]);
    expect(screen.getByTitle('ada@example.com').textContent).toBe('Ada');
  });
});
