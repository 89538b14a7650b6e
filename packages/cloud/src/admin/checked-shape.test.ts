import { FieldError } from '@fixpoint/protocol';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { checkedShape } from './checked-shape.ts';

const schema = v.object({
  id: v.pipe(v.string(), v.minLength(2), v.maxLength(4), v.regex(/^[a-z]*$/)),
  name: v.optional(v.string('Name is required')),
  count: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(9))),
  on: v.optional(v.boolean()),
  ids: v.optional(v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(2))),
  role: v.optional(v.picklist(['admin', 'member'], 'must be one of admin, member')),
  inner: v.optional(v.object({ at: v.pipe(v.string(), v.regex(/^\d+$/, 'must be digits')) })),
});

/** Returns the path and the message of the error. */
function rejectionOf(request: unknown): [string, string] {
  try {
    checkedShape(schema, request);
  } catch (cause) {
    if (cause instanceof FieldError) return [cause.path, cause.message];
  }
  throw new Error('was not rejected');
}

describe('the check of a request', () => {
  test('returns only the fields of the schema', () => {
    expect(checkedShape(schema, { id: 'ab', more: 1 })).toEqual({ id: 'ab' });
  });

  test.each([
    [{}, 'id', 'id is required'],
    [{ id: 7 }, 'id', 'id must be a string'],
    [{ id: null }, 'id', 'id must be a string'],
    [{ id: 'a' }, 'id', 'id must be at least 2 characters'],
    [{ id: 'abcde' }, 'id', 'id must be at most 4 characters'],
    [{ id: 'A B' }, 'id', 'id is not valid'],
    [{ id: 'ab', count: '1' }, 'count', 'count must be a number'],
    [{ id: 'ab', count: 1.5 }, 'count', 'count must be a whole number'],
    [{ id: 'ab', count: 0 }, 'count', 'count must be at least 1'],
    [{ id: 'ab', count: 10 }, 'count', 'count must be at most 9'],
    [{ id: 'ab', on: 'yes' }, 'on', 'on must be true or false'],
    [{ id: 'ab', ids: 'a' }, 'ids', 'ids must be a list'],
    [{ id: 'ab', ids: [] }, 'ids', 'ids must have at least 1 item'],
    [{ id: 'ab', ids: ['a', 'b', 'c'] }, 'ids', 'ids must have at most 2 items'],
    [{ id: 'ab', ids: ['a', 7] }, 'ids.1', 'ids.1 must be a string'],
    [{ id: 'ab', role: 'owner' }, 'role', 'role must be one of admin, member'],
    [{ id: 'ab', inner: 7 }, 'inner', 'inner must be an object'],
    [{ id: 'ab', inner: { at: 'x' } }, 'inner.at', 'inner.at must be digits'],
    [null, '', 'the message must be an object'],
  ])('rejects %j at "%s": %s', (request, path, why) => {
    expect(rejectionOf(request)).toEqual([path, `request is not valid: ${why}`]);
  });

  test("keeps a schema's message if it is a whole sentence", () => {
    expect(rejectionOf({ id: 'ab', name: 7 })).toEqual(['name', 'request is not valid: Name is required']);
  });
});
