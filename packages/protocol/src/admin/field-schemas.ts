/** Schemas and transformations that valibot doesn't have. */
import * as v from 'valibot';

/**
 * Returns a schema like `v.object` that rejects lists, ignores inherited properties, and lets each
 * missing field fail with the message of its own schema.
 */
export function fields<E extends v.ObjectEntries>(entries: E): v.ObjectSchema<E, undefined> {
  const schema = v.object(entries);
  return {
    ...schema,
    '~run': (dataset, config) =>
      schema['~run']({ ...dataset, value: ownFields(dataset.value, entries) }, config),
  };
}

function ownFields(value: unknown, entries: v.ObjectEntries): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return null;
  const given: Record<string, unknown> = Object.create(null);
  for (const [key, field] of Object.entries(entries))
    if (Object.hasOwn(value, key)) given[key] = (value as Record<string, unknown>)[key];
    else if (field.type !== 'optional') given[key] = undefined;
  return given;
}

/** Returns a schema for one of a few words. */
export const oneOf = <const W extends readonly string[]>(words: W): v.PicklistSchema<W, string> =>
  v.picklist(words, `must be one of ${words.join(', ')}`);

/**
 * Returns a transformation of text. The JSON Schema of a field includes the checks that follow this
 * transformation, but not checks that follow `v.transform`.
 */
export const rewrite = (change: (text: string) => string): v.BaseTransformation<string, string, never> => ({
  kind: 'transformation',
  type: 'rewrite',
  reference: rewrite,
  async: false,
  '~run': (dataset) => ({ ...dataset, value: change(dataset.value) }),
  '~types': undefined,
});

/** Returns a schema for a whole number between two bounds, both included. */
export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(min), v.maxValue(max));
