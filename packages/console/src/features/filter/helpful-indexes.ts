/** Finds the indexes that would answer a filter. */
import { type Condition, chipOf, type Filter, type Test } from './filter.ts';

/** Maximum number of fields of one suggested index. */
const FIELDS_MAX = 3;
const EXACT: ReadonlySet<Test> = new Set(['equals', 'in']);
const RANGES: ReadonlySet<Test> = new Set(['greater', 'at-least', 'less', 'at-most', 'starts', 'type']);

/** Returns paths of indexes; none if no index helps. */
export function helpfulIndexes(parts: readonly Filter[]): readonly (readonly string[])[] {
  const own = indexFor(parts);
  if (own !== undefined) return [own];
  for (const part of parts) {
    if (part.kind !== 'any') continue;
    const indexes = part.of.map((one) => indexFor(one.kind === 'all' ? one.of : [one]));
    if (indexes.every((one) => one !== undefined)) return withoutRepeated(indexes);
  }
  return [];
}

/** Returns the fields with one value first, then one field with a range. */
function indexFor(parts: readonly Filter[]): readonly string[] | undefined {
  const conditions = parts.flatMap((part): readonly Condition[] => {
    const chip = chipOf(part);
    return chip === undefined || chip.isNot || chip.condition.path === '_id' ? [] : [chip.condition];
  });
  const pathsWith = (tests: ReadonlySet<Test>) =>
    conditions.filter(({ test }) => tests.has(test)).map(({ path }) => path);
  const paths = [...new Set([...pathsWith(EXACT), ...pathsWith(RANGES).slice(0, 1)])];
  // An index has at most one path through the entries of a list.
  const firstEach = paths.findIndex((path) => path.includes('[]'));
  const usable = paths.filter((path, at) => !path.includes('[]') || at === firstEach).slice(0, FIELDS_MAX);
  return usable.length === 0 ? undefined : usable;
}

function withoutRepeated(indexes: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(indexes.map((one) => [JSON.stringify(one), one])).values()];
}
