import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { WITHOUT_REST } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import { Ancestry } from './ancestry.ts';
import { chain, dag, eventCid, someDag } from './dag.fixture.ts';
import { EventIndex } from './event-index.ts';
import { maximalWrites } from './newest-first.ts';
import { MERGE_STAMP } from './stamp.ts';
import { unmergedWrites, VERSIONS_MAX } from './unmerged-writes.ts';

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
    const unmerged = await unmergedWrites(head, String(at), index, graph.read, WITHOUT_REST);
    expect(unmerged?.versions.map(graph.nameOf).sort()).toEqual([`a-${at}`, `b-${at}`]);
    expect(unmerged?.base).toBeUndefined();
  }
  expect(graph.readCount() - before).toBeLessThan(3 * documents);
});

test('reads each event at most once if the index does not know which event precedes which', async () => {
  const former = 300;
  const graph = dag({ ...chain('old', former), a: [`old${former}`], b: [`old${former}`], c: ['a'] }, () => [
    'x',
  ]);
  const index = new EventIndex(graph.read, new Ancestry(0));
  const head = graph.head('b', 'c');
  await index.advance(head, WITHOUT_REST);
  const before = graph.readCount();
  const unmerged = await unmergedWrites(head, 'x', index, graph.read, WITHOUT_REST);
  expect(unmerged?.versions.map(graph.nameOf).sort()).toEqual(['b', 'c']);
  expect(unmerged?.base).toBe(eventCid(`old${former}`));
  expect(graph.readCount() - before).toBeLessThan(10);
});

test('finds the same versions with a walk as with the index', async () => {
  await fc.assert(
    fc.asyncProperty(
      someDag,
      fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      async ({ graph, heads }, merges) => {
        const names = [...graph.events.keys()];
        const read = async (cid: Cid) => {
          const isMerge = merges[names.indexOf(cid)] === true;
          return { ...(await graph.read(cid)), by: isMerge ? MERGE_STAMP : undefined };
        };
        for (const head of heads) {
          const known = new EventIndex(read);
          const unknown = new EventIndex(read, new Ancestry(0));
          for (const index of [known, unknown]) await index.advance(head, WITHOUT_REST);
          for (const key of ['k1', 'k2', 'k3', 'k4'])
            expect(await unmergedWrites(head, key, unknown, read, WITHOUT_REST)).toEqual(
              await unmergedWrites(head, key, known, read, WITHOUT_REST),
            );
        }
      },
    ),
    { numRuns: 200 },
  );
});

test.each([VERSIONS_MAX, VERSIONS_MAX + 1])('limits %i versions of a document', async (count) => {
  const parents: Record<string, string[]> = { first: [] };
  for (let at = 0; at < count; at++) parents[`v${at}`] = ['first'];
  const graph = dag(parents, () => ['x']);
  const head = graph.head(...Object.keys(parents).slice(1));
  for (const ancestry of [new Ancestry(), new Ancestry(0)]) {
    const index = new EventIndex(graph.read, ancestry);
    await index.advance(head, WITHOUT_REST);
    const unmerged = await unmergedWrites(head, 'x', index, graph.read, WITHOUT_REST);
    expect(unmerged?.versions).toHaveLength(count > VERSIONS_MAX ? 0 : count);
  }
});

test('asks a bounded number of questions about thousands of concurrent versions, and rests', async () => {
  const count = 3000;
  const parents: Record<string, string[]> = { first: [] };
  for (let at = 0; at < count; at++) parents[`v${at}`] = ['first'];
  const graph = dag(parents, () => ['x']);
  const head = graph.head(...Object.keys(parents).slice(1));
  const index = new EventIndex(graph.read);
  await index.advance(head, WITHOUT_REST);
  const questions = vi.spyOn(index, 'isAncestor');
  let rests = 0;
  const pace = { isDue: () => true, rest: async () => void rests++ };
  await unmergedWrites(head, 'x', index, graph.read, pace);
  expect(questions.mock.calls.length).toBeLessThan(VERSIONS_MAX * (VERSIONS_MAX + 1));
  expect(rests).toBeGreaterThan(VERSIONS_MAX);
  const generations = vi.spyOn(index, 'generationOf');
  rests = 0;
  expect(await maximalWrites(head, 'x', index, graph.read, pace)).toHaveLength(count);
  expect(generations.mock.calls.length).toBeLessThan(3 * count);
  expect(rests).toBeGreaterThanOrEqual(count);
});
