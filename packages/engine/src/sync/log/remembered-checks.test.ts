/**
 * Tests that a device checks each signature of a membership log once, and that neither the server
 * nor rows from elsewhere make it skip a check.
 */
import { isGreetingText, LOG_CHECKS_VERSION, recordText } from '@fixpoint/protocol/storage';
import { afterEach, expect, test, vi } from 'vitest';
import { logWorld, type TestDevice } from './ledger-devices.fixture.ts';

afterEach(() => void vi.restoreAllMocks());

/** Opens a device again, and returns it with the number of signatures that it checks. */
async function reopened(world: ReturnType<typeof logWorld>, of: Pick<TestDevice, 'user' | 'values'>) {
  const verify = vi.spyOn(globalThis.crypto.subtle, 'verify');
  const again = await world.again(of);
  // Greetings aren't entries.
  await again.hear([...world.list].filter((text) => !isGreetingText(text)));
  const checks = verify.mock.calls.length;
  verify.mockRestore();
  return { again, checks };
}

const checkedRows = ({ values }: TestDevice): string[] =>
  [...values.keys()].filter((row) => row.includes('/log-checked/'));

const namesIn = ({ keys }: TestDevice) =>
  keys
    .keyring()
    .log?.members.map(({ name }) => name)
    .sort();

test('[F6] checks nothing twice, also not after the database was closed', async () => {
  const world = logWorld(1);
  const { F, W, X } = await world.team();
  world.put(...(await F.keys.rotate([X.keys.devices().find(({ isThis }) => isThis)?.id as string])));
  await F.hear();
  await W.hear();
  const { again, checks } = await reopened(world, W);
  expect(checks).toBe(0);
  expect([namesIn(again), again.seals()]).toEqual([namesIn(W), W.seals()]);
  // A later entry has signatures that this device didn't check yet: its own and a consent.
  await world.admitted(F, 'Y', 'write');
  expect((await reopened(world, W)).checks).toBe(2);
  expect((await reopened(world, W)).checks).toBe(0);
});

test('[F4] checks an entry that differs from a checked one in a single bit', async () => {
  const world = logWorld(2);
  const { F, W } = await world.team();
  const [text = ''] = await world.sign(F, { t: 'remove', person: Buffer.from(world.personOf(W), 'hex') });
  const changed = recordText(withOtherSignature(text), 'S2.');
  world.put(changed);
  await F.hear();
  await W.hear();
  const { again, checks } = await reopened(world, W);
  expect(checks).toBe(1);
  expect(namesIn(again)).toContain('W');
  world.put(text);
  await again.hear();
  expect(namesIn(again)).not.toContain('W');
});

test('[F6] checks again what another version or another ledger remembered, or what is damaged', async () => {
  const world = logWorld(3);
  const { W } = await world.team();
  const all = (await reopened(world, { ...W, values: withoutChecks(W) })).checks;
  expect(all).toBeGreaterThan(8);
  const rows = checkedRows(W);
  const moved = (change: (row: string) => string): Map<string, Uint8Array> => {
    const values = withoutChecks(W);
    for (const row of rows) values.set(change(row), W.values.get(row) as Uint8Array);
    return values;
  };
  const ofOther = moved((row) => row.replace(`/${LOG_CHECKS_VERSION}/`, `/${LOG_CHECKS_VERSION + 1}/`));
  const ofLedger = moved((row) => row.slice(0, -1) + (row.endsWith('0') ? '1' : '0'));
  for (const values of [ofOther, ofLedger]) {
    expect((await reopened(world, { ...W, values })).checks).toBe(all);
    // Rows of another version are replaced.
    expect((await reopened(world, { ...W, values })).checks).toBe(0);
  }
  expect([...ofOther.keys()].filter((row) => row.includes(`/${LOG_CHECKS_VERSION + 1}/`))).toEqual([]);
});

function withoutChecks({ values }: TestDevice): Map<string, Uint8Array> {
  return new Map([...values].filter(([row]) => !row.includes('/log-checked/')));
}

/** Returns the bytes of an entry whose signature has one other bit. It stays a valid number. */
function withOtherSignature(text: string): Uint8Array {
  const bytes = Uint8Array.from(Buffer.from(text.slice('S2.'.length), 'base64url'));
  const at = Buffer.from(bytes).indexOf('sig') + 20;
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes;
}
