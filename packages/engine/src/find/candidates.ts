/** Documents that may match, as indexes find them. */
import type { Snapshot } from '../commit/snapshot.ts';
import { type DeclaredIndex, keysOfFields } from '../index/declared.ts';
import type { IndexView } from '../index/kept-index.ts';
import { intersection } from '../index/key-ranges.ts';
import { scan } from '../prolly/scan.ts';
import type { Search } from './find-options.ts';
import type { FindParts } from './find-parts.ts';
import { type IndexPart, isBackwards, type Plan } from './plan.ts';

export const indexPartsOf = (plan: Plan): readonly IndexPart[] =>
  plan.kind === 'index' ? [plan.part] : plan.kind === 'union' ? plan.parts : [];

export interface Run {
  readonly parts: FindParts;
  readonly search: Search;
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  readonly views: readonly IndexView[];
}

/** A document that may match. `key` is its key in the index, if an index found it. */
export interface Candidate {
  readonly id: string;
  readonly key: string;
}

export async function* candidatesOf(run: Run): AsyncGenerator<readonly Candidate[]> {
  const { plan, views } = run;
  if (plan.kind === 'ids') {
    yield plan.ids.map((id) => ({ id, key: '' }));
    return;
  }
  const seen = new Set<string>();
  for (const [at, part] of indexPartsOf(plan).entries()) {
    const isUnique = plan.kind === 'index' && part.index.multiAt < part.fixed;
    for await (const candidates of inIndex(run, part, views[at] as IndexView))
      yield isUnique ? candidates : candidates.filter(({ id }) => !seen.has(id) && seen.add(id));
  }
}

async function* inIndex(
  { search, plan }: Run,
  { index, ranges, fixedKey, fixed }: IndexPart,
  { table, state }: IndexView,
): AsyncGenerator<readonly Candidate[]> {
  const { sort, after } = search;
  const descending = plan.isSorted && isBackwards(sort);
  let wanted = ranges;
  if (plan.isSorted && after !== undefined) {
    const known = index.fields.slice(0, fixed).map(({ text }) => text);
    const keys = after.keys.filter((_, at) => !known.includes(sort[at]?.path.text ?? ''));
    const place = fixedKey + keys.join('') + after.id;
    const ahead = descending ? { from: '', to: place } : { from: place, to: undefined };
    wanted = intersection(ranges, [ahead]);
  }
  for (const range of descending ? wanted.toReversed() : wanted)
    for await (const entries of scan(table.read, state.byKey, { ...range, descending }))
      yield entries.map(([treeKey]) => candidateOf(index, treeKey));
}

function candidateOf(index: DeclaredIndex, treeKey: string): Candidate {
  const at = keysOfFields(index, treeKey).end;
  return { id: treeKey.slice(at), key: treeKey };
}

/** Returns the ids of the candidates; undefined if there are more than `max`. */
export async function fewCandidates(run: Run, max: number): Promise<readonly string[] | undefined> {
  const ids: string[] = [];
  for await (const candidates of candidatesOf(run)) {
    for (const { id } of candidates) ids.push(id);
    if (ids.length > max) return undefined;
    if (run.parts.pace.isDue()) await run.parts.pace.rest();
  }
  return ids;
}
