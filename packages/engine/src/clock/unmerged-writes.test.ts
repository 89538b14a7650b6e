import { expect, test } from 'vitest';
import { WITHOUT_REST } from '../base/pace.ts';
import { dag } from './dag.fixture.ts';
import { EventIndex } from './event-index.ts';
import { unmergedWrites } from './unmerged-writes.ts';

test('reads a few events for each document, however many others two devices wrote', async () => {
  const documents = 500;
  const parents: Record<string, string[]> = { first: [] };
  for (const side of ['a', 'b'])
    for (let at = 0; at < documents; at++)
      parents[`${side}-${at}`] = [at === 0 ? 'first' : `${side}-${at - 1}`];
  const graph = dag(parents, (name) => [name.split('-')[1] ?? name]);
  const head = graph.head(`a-${documents - 1}`, `b-${documents - 1}`);
  const index = new EventIndex(graph.read);
  await index.advance(head, WITHOUT_REST);
  const before = graph.readCount();
  for (let at = 0; at < documents; at++) {
    const unmerged = await unmergedWrites(head, String(at), index, graph.read);
    expect(unmerged?.versions.map(graph.nameOf).sort()).toEqual([`a-${at}`, `b-${at}`]);
    expect(unmerged?.base).toBeUndefined();
  }
  expect(graph.readCount() - before).toBeLessThan(3 * documents);
});
