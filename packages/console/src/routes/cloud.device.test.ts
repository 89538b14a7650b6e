import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import { expect, test } from 'vitest';
import { appWith, callOf, done, refused } from '../cloud/app.fixture.ts';
import { action, loader } from './cloud.device.tsx';

const open = (path: string, api: Partial<AdminClient>) => loader(callOf(appWith({ api }), path));

test('shows which program requests the sign-in, and from where, before the user decides', async () => {
  const describeLogin = () =>
    done({ type: 'resDescribeLogin', client: 'cli on laptop', createdAt: '', from: '192.0.2.1' });
  expect(await open('/fp/cloud/device?code=BCDF-GHJK', { describeLogin })).toEqual({
    asking: { code: 'BCDF-GHJK', client: 'cli on laptop', from: '192.0.2.1' },
  });
});

test('asks for a missing code, and reports an unknown code', async () => {
  expect(await open('/fp/cloud/device', {})).toEqual({ asking: undefined, problem: undefined });
  const describeLogin = () => refused(new FixpointError('NOT_FOUND'));
  expect(await open('/fp/cloud/device?code=x', { describeLogin })).toEqual({
    asking: undefined,
    problem: 'This code is unknown or has expired. Check it, or start again in the program.',
  });
});

test.each([
  ['approve', true, 'approved'],
  ['deny', false, 'denied'],
  ['', false, 'denied'],
] as const)('approves the sign-in after the answer %j: %s', async (decision, expected, outcome) => {
  const asked: unknown[] = [];
  const decideLogin = (code: string, approve: boolean) => {
    asked.push([code, approve]);
    return done(outcome);
  };
  const parts = appWith({ api: { decideLogin } });
  const answer = await action(callOf(parts, '/fp/cloud/device', { form: { code: 'BCDFGHJK', decision } }));
  expect(asked).toEqual([['BCDFGHJK', expected]]);
  expect(answer).toMatchObject({ data: { done: outcome } });
});

test('[8] shows a rejection by the cloud, with status 400', async () => {
  const decideLogin = () => refused(new FixpointError('NOT_FOUND'));
  const parts = appWith({ api: { decideLogin } });
  expect(
    await action(callOf(parts, '/fp/cloud/device', { form: { code: 'x', decision: 'approve' } })),
  ).toMatchObject({
    data: { error: expect.any(String) },
    init: { status: 400 },
  });
});

test('asks for a confirmation before approval when the sign-in is old', async () => {
  const decideLogin = () => refused(new FixpointError('CONFIRM_IDENTITY'));
  const parts = appWith({ api: { decideLogin } });
  const form = { code: 'BCDFGHJK', decision: 'approve' };
  expect(await action(callOf(parts, '/fp/cloud/device', { form }))).toMatchObject({
    data: { confirm: 'BCDFGHJK' },
  });
});
