import { expect, test } from 'vitest';
import { memoryDatabase } from '../testing/fake-cloud.ts';
import type { CloudOptions } from './remote.ts';
import { toCloud } from './to-cloud.ts';

const whole = { base: 'http://127.0.0.1:1', tenant: 't', ledger: 'l', token: 'x' };

test.each([
  ['nothing', undefined, 'toCloud needs base, tenant, ledger and token'],
  ['no base', { ...whole, base: '' }, 'toCloud needs base, tenant, ledger and token'],
  ['no tenant', { ...whole, tenant: undefined }, 'toCloud needs base, tenant, ledger and token'],
  ['no ledger', { ...whole, ledger: '' }, 'toCloud needs base, tenant, ledger and token'],
  ['no token', { ...whole, token: undefined }, 'toCloud needs base, tenant, ledger and token'],
  ['another kind', { ...whole, kind: 'open' }, 'toCloud: kind is sealed or open-key'],
])('says what to pass when it gets %s', async (_, options, message) => {
  const db = memoryDatabase();
  await expect(db.attach(toCloud(options as CloudOptions))).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: expect.stringContaining(message),
  });
  await db.close();
});
