import { FixpointError } from '@fixpoint/protocol';
import type { SyncStatus } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { describeFailure, describeSync } from './describe-sync.ts';

const described = (status: Partial<SyncStatus>, part?: number) =>
  describeSync({ state: 'in-sync', toSend: 0, toFetch: 0, ...status }, part);

describe('the word for a sync', () => {
  test.each([
    [{ state: 'in-sync' }, 'In sync', 'check'],
    [{ state: 'catching-up', toSend: 1234, toFetch: 1 }, '1,234 to send', 'up'],
    [{ state: 'catching-up', toFetch: 3 }, '3 to fetch', 'down'],
    [{ state: 'connecting' }, 'Connecting', 'busy'],
    [{ state: 'offline', toSend: 2 }, 'Offline', 'offline'],
    [{ state: 'refused' }, 'Refused', 'warning'],
    [{ state: 'store-lost' }, 'Removed', 'warning'],
    [{ state: 'refused', error: new FixpointError('DEVICE_NOT_APPROVED') }, 'Not trusted', 'warning'],
  ] as const)('follows the status %j', (status, word, icon) => {
    expect(described(status)).toMatchObject({ word, icon });
  });

  test('is the completed part of a first sync, rounded down, with what is left as the reason', () => {
    expect(described({ state: 'catching-up', toSend: 7 }, 0.549)).toEqual({
      word: '54%',
      icon: 'sync',
      why: '7 to send.',
    });
  });

  test('tells problems of a first sync instead of its progress', () => {
    const words = (['offline', 'refused', 'in-sync'] as const).map((state) => described({ state }, 0.5).word);
    expect(words).toEqual(['Offline', 'Refused', 'In sync']);
  });
});

describe('the reason for a sync that fails', () => {
  const why = (code: ConstructorParameters<typeof FixpointError>[0], detail?: string) =>
    described({ state: 'refused', toSend: 2, error: new FixpointError(code, detail) }).why;

  test('tells a revoked right to write from revoked access', () => {
    expect(why('FORBIDDEN')).toBe('2 to send. You can read this database in the cloud, but not write to it.');
    expect(why('NOT_FOUND')).toBe(
      '2 to send. You don’t have access to this database in the cloud, or it was deleted.',
    );
  });

  test('is the detail of the server, if it sent one', () => {
    expect(why('FORBIDDEN', 'You were removed.')).toMatch(/You were removed\.$/);
  });

  test('has no internals of the answer', () => {
    expect(why('NOT_FOUND', '{"type":"error","code":"NOT_FOUND"}')).not.toMatch(/[{}]/);
  });

  test.each(['FETCH', 'TIMEOUT', 'WS', 'CONNECTION_NOT_OPEN'] as const)(
    'is a server that can’t be reached after %s',
    (code) => {
      const text = described({ state: 'offline', error: new FixpointError(code) });
      expect(text.why).toBe('Couldn’t reach the server. Check your connection, then try again.');
      expect(describeFailure(new FixpointError(code)).word).toBe('Offline');
    },
  );

  test('advises what to do about other refusals', () => {
    expect(describeFailure(new FixpointError('LIMIT_REACHED'))).toMatchObject({
      word: 'Refused',
      why: expect.stringMatching(/ask the operator of this server to raise it\.$/),
    });
  });
});
