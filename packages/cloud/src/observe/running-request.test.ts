import { describe, expect, test } from 'vitest';
import {
  annotate,
  inRequest,
  inSpan,
  outsideRequests,
  requestFields,
  requestIdFrom,
  traceHeaders,
} from './running-request.ts';
import { namesIn } from './traced-stores.ts';
import type { Span } from './tracing.ts';

/** A span that records what happens to it and to its children. */
function recorded(name: string, events: string[]): Span {
  return {
    traceId: 't1',
    traceparent: `00-t1-${name}-01`,
    child: (child) => {
      events.push(`${name} > ${child}`);
      return recorded(child, events);
    },
    rename: () => undefined,
    set: (attributes) => void events.push(`${name} ${JSON.stringify(attributes)}`),
    end: (outcome) => void events.push(`${name} ${outcome}`),
  };
}

describe('ids of requests', () => {
  test.each(['a', 'req-1.2_3', '4bf92f3577b34da6a3ce929d0e0e4736', 'Root=1-67891233-abc:9/x+y@z'])(
    'keeps the id %j of a trusted proxy',
    (id) => expect(requestIdFrom(id, true)).toBe(id),
  );

  test.each(['', 'a b', 'a"b', 'a\nb', 'ä', 'x'.repeat(129), ['a', 'b'], undefined])(
    'replaces the malformed id %j',
    (id) => expect(requestIdFrom(id, true)).toMatch(/^[\w-]{16}$/),
  );

  test('[S1] replaces an id that a client chose, and never repeats one', () => {
    const ids = Array.from({ length: 100 }, () => requestIdFrom('chosen', false));
    expect(new Set(ids).size).toBe(100);
    expect(ids).not.toContain('chosen');
  });
});

describe('the running request', () => {
  test('is known to everything that it causes, also later, and to nothing else', async () => {
    expect(requestFields()).toEqual({});
    const seen = await inRequest({ id: 'one' }, async () => {
      await new Promise((done) => setTimeout(done, 1));
      return requestFields();
    });
    expect(seen).toEqual({ requestId: 'one' });
    const outside = inRequest({ id: 'one' }, () => {
      let fields: object = {};
      outsideRequests(() => {
        fields = requestFields();
      })();
      return fields;
    });
    expect(outside).toEqual({});
  });

  test('names its trace, and passes it on', async () => {
    const events: string[] = [];
    const request = { id: 'one', span: recorded('root', events) };
    await inRequest(request, async () => {
      expect(requestFields()).toEqual({ requestId: 'one', traceId: 't1' });
      annotate({ a: 1 });
      await inSpan('inner', {}, async () => {
        expect(traceHeaders()).toEqual({ traceparent: '00-t1-inner-01' });
      });
      await expect(inSpan('bad', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
      expect(traceHeaders()).toEqual({ traceparent: '00-t1-root-01' });
    });
    expect(events).toEqual(['root {"a":1}', 'root > inner', 'inner ok', 'root > bad', 'bad failed']);
    expect(traceHeaders()).toEqual({});
  });
});

test.each([
  ['select * from "Users" where "userId" = ?', 'SELECT', 'Users'],
  ['insert into "Metas" ("a") values (?)', 'INSERT', 'Metas'],
  ['update "Ledgers" set "a" = ?', 'UPDATE', 'Ledgers'],
  ['with x as (select 1) select * from x', 'WITH', 'x'],
  ['begin immediate', 'BEGIN', ''],
  ['secret words', 'OTHER', ''],
])('finds the kind and the table of %j', (sql, operation, table) => {
  expect(namesIn(sql)).toEqual([operation, table]);
});
