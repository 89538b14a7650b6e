import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordedSpan } from './recorded-span.fixture.ts';
import {
  annotate,
  inRequest,
  inSpan,
  outsideRequests,
  recordSpan,
  requestFields,
  requestIdFrom,
  traceHeaders,
} from './running-request.ts';
import { namesIn, statementSpans, tracedCalls } from './traced-stores.ts';

describe('ids of requests', () => {
  test.each(['a', 'req-1.2_3', '4bf92f3577b34da6a3ce929d0e0e4736', 'Root=1-67891233-abc:9/x+y@z'])(
    'keeps the id %j of a trusted proxy',
    (id) => expect(requestIdFrom(id, true)).toBe(id),
  );

  test.each([
    ['of-client, of-proxy', 'of-proxy'],
    ['of client,of-proxy', 'of-proxy'],
    [`${'x'.repeat(200)}, of-proxy`, 'of-proxy'],
    [['of-client', 'of-proxy'], 'of-proxy'],
  ])('[S1] uses only the last id of the list %j', (header, id) =>
    expect(requestIdFrom(header, true)).toBe(id),
  );

  test.each(['', 'a b', 'a"b', 'a\nb', 'ä', 'x'.repeat(129), 'a,', 'a, b c', ['a', 'ä'], undefined])(
    'replaces the malformed id %j',
    (id) => expect(requestIdFrom(id, true)).toMatch(/^[\da-f-]{36}$/),
  );

  test('[S1] replaces an id that a client chose, and never repeats one', () => {
    const ids = Array.from({ length: 100 }, () => requestIdFrom('chosen', false));
    expect(new Set(ids).size).toBe(100);
    expect(ids).not.toContain('chosen');
  });
});

test('[S1] puts no header into the log that could forge a line or a field', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.boolean(), (header, isTrusted) => {
      expect(requestIdFrom(header, isTrusted)).toMatch(/^[\w.:+/=@-]{1,128}$/);
    }),
  );
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
    const request = { id: 'one', span: recordedSpan('root', events) };
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

describe('spans of stores', () => {
  const inTrace = async <T>(work: () => T): Promise<string[]> => {
    const events: string[] = [];
    await inRequest({ id: 'one', span: recordedSpan('root', events) }, work);
    return events;
  };

  test('[S1] names a statement by its kind and table, without its text', async () => {
    const spans = statementSpans('sqlite');
    const events = await inTrace(() => {
      spans({ sql: `select 1 from "Users" where "email" = 'ada@example.com'`, ms: 3, failed: false });
      spans({ sql: 'commit', ms: 1, failed: true });
      spans({ sql: 'ada@example.com', ms: 1, failed: false });
    });
    expect(events).toEqual([
      ...['root > SELECT Users', 'SELECT Users ok', 'root > COMMIT', 'COMMIT failed'],
      ...['root > OTHER', 'OTHER ok'],
    ]);
  });

  test('finds no more than words in any statement', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const [operation, table] = namesIn(`select * from ${text}`);
        expect(operation).toBe('SELECT');
        expect(table).toMatch(/^\w*$/);
      }),
    );
  });

  test('computes no names for statements outside a trace', () => {
    const never = () => {
      throw new Error('computed');
    };
    expect(() => recordSpan(never, never, 1, 'ok')).not.toThrow();
    inRequest({ id: 'one' }, () => expect(() => recordSpan(never, never, 1, 'ok')).not.toThrow());
  });

  test('begins a recorded span when the work began', () => {
    const begins: (number | undefined)[] = [];
    const span = {
      ...recordedSpan('root', []),
      child: (name: string, _: object, startMs?: number) => {
        begins.push(startMs);
        return recordedSpan(name, []);
      },
    };
    const before = Date.now();
    inRequest({ id: 'one', span }, () =>
      recordSpan(
        () => 'work',
        () => ({}),
        5000,
        'ok',
      ),
    );
    const [begin = 0] = begins;
    expect(begin).toBeGreaterThanOrEqual(before - 5000);
    expect(begin).toBeLessThanOrEqual(Date.now() - 5000);
  });

  test('records the named calls of a store with their failures, and keeps their arguments and answers', async () => {
    const failure = new Error('full');
    const store = {
      size: 7,
      read: async (name: string, from: number) => `${name} ${from}`,
      write: async () => {
        throw failure;
      },
      list: async () => 'all',
    };
    const traced = tracedCalls('bucket', store, ['read', 'write']);
    const events = await inTrace(async () => {
      expect(await traced.read('a', 2)).toBe('a 2');
      await expect(traced.write()).rejects.toBe(failure);
      expect([await traced.list(), traced.size]).toEqual(['all', 7]);
    });
    expect(events).toEqual([
      ...['root > bucket read', 'bucket read ok', 'root > bucket write', 'bucket write failed'],
    ]);
    expect(await traced.read('b', 3)).toBe('b 3');
  });

  test('nests spans of calls within calls, and keeps those of two requests apart', async () => {
    const run = (name: string) =>
      inTrace(() =>
        inSpan(`outer ${name}`, {}, async () => {
          await new Promise((done) => setImmediate(done));
          await inSpan(`inner ${name}`, {}, async () => annotate({ name }));
        }),
      );
    const [one, two] = await Promise.all([run('one'), run('two')]);
    for (const [name, events] of Object.entries({ one, two }))
      expect(events).toEqual([
        `root > outer ${name}`,
        `outer ${name} > inner ${name}`,
        `inner ${name} {"name":"${name}"}`,
        `inner ${name} ok`,
        `outer ${name} ok`,
      ]);
  });
});
