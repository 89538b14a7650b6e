/** Order of index keys: null < false < true < numbers < texts < arrays < objects; NaN before all numbers. Arrays part by part, objects by their JSON. */

const RANK = { null: 0, boolean: 1, number: 2, string: 3, array: 4, object: 5 } as const;

function rankOf(key: unknown): number {
  if (key === null || key === undefined) return RANK.null;
  if (Array.isArray(key)) return RANK.array;
  switch (typeof key) {
    case 'boolean':
      return RANK.boolean;
    case 'number':
    case 'bigint':
      return RANK.number;
    case 'string':
      return RANK.string;
    default:
      return RANK.object;
  }
}

const compareBasic = <T extends string | number | bigint | boolean>(a: T, b: T) =>
  a < b ? -1 : a > b ? 1 : 0;

function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  return compareBasic(a, b);
}

export function compareKeys(a: unknown, b: unknown): number {
  const rank = rankOf(a);
  const difference = rank - rankOf(b);
  if (difference !== 0) return difference;
  switch (rank) {
    case RANK.null:
      return 0;
    case RANK.boolean:
      return compareBasic(a as boolean, b as boolean);
    case RANK.number:
      return compareNumbers(a as number, b as number);
    case RANK.string:
      return compareBasic(a as string, b as string);
    case RANK.array:
      return compareArrays(a as unknown[], b as unknown[]);
    default:
      return compareBasic(JSON.stringify(a), JSON.stringify(b));
  }
}

function compareArrays(a: readonly unknown[], b: readonly unknown[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = compareKeys(a[at], b[at]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Whether a key begins with the prefix: a text with a text, an array with an array. */
export function hasPrefix(key: unknown, prefix: unknown): boolean {
  if (typeof prefix === 'string') return typeof key === 'string' && key.startsWith(prefix);
  if (!Array.isArray(prefix)) return compareKeys(key, prefix) === 0;
  return (
    Array.isArray(key) && prefix.every((part, at) => at < key.length && compareKeys(key[at], part) === 0)
  );
}
