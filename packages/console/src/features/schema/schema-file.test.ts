import { expect, test } from 'vitest';
import { DocumentsSummarizer } from '../../engine/field-summary.ts';
import { HOSTILE_NAMES, withEveryName } from '../../values/hostile-names.fixture.ts';
import { schemaText } from './schema-file.ts';

test('writes every field with its types and counts, whatever its name', () => {
  const summarizer = new DocumentsSummarizer(() => 0.5);
  summarizer.add(withEveryName('a', () => 12n));
  const text = schemaText('shop', { ...summarizer.summary(), total: 1, isComplete: true });
  const read = JSON.parse(text) as { documents: number; fields: { field: string }[] };
  expect(read.documents).toBe(1);
  expect(read.fields).toHaveLength(HOSTILE_NAMES.length + 1);
  expect(read.fields).toContainEqual({
    ...{ field: 'constructor', documents: 1, types: [['number', 1]], values: 1 },
    ...{ examples: ['12'], outliers: [] },
  });
});
