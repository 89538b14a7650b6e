import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mint, tablesOf, temporaryFolder } from '../tests/cloud.fixture.ts';
import { loadSecrets, requireSameSecrets, rotateSessionSecret, rotateTokenKeys } from './secrets.ts';
import { createCloudTokens } from './tokens/cloud-tokens.ts';

const tokensOf = async (folder: string) =>
  createCloudTokens((await loadSecrets(folder)).tokens, () => Date.now());
const newToken = async (folder: string) => mint(await tokensOf(folder), 'u', 't', 'l');

test('[S4] publishes the next token key before that key signs, and keeps replaced keys for two more rotations', async () => {
  const folder = await temporaryFolder();
  const before = await tokensOf(folder);
  const old = await newToken(folder);
  await rotateTokenKeys(folder);
  const fresh = await newToken(folder);
  const kids = async () => (await tokensOf(folder)).jwks().keys.map(({ kid }) => kid);
  expect(await kids()).toHaveLength(3);
  // A process that wasn't restarted knows the new signer, and a restarted one knows the old signer.
  expect((await before.verify(fresh)).userId).toBe('u');
  expect((await (await tokensOf(folder)).verify(old)).userId).toBe('u');
  await rotateTokenKeys(folder);
  expect((await (await tokensOf(folder)).verify(old)).userId).toBe('u');
  await rotateTokenKeys(folder);
  await expect((await tokensOf(folder)).verify(old)).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  expect((await (await tokensOf(folder)).verify(fresh)).userId).toBe('u');
  expect(new Set(await kids()).size).toBe(4);
});

test('[S15] leaves one file after a rotation, readable only by its user, with all other secrets unchanged', async () => {
  const folder = await temporaryFolder();
  const { tokens: _, ...before } = await loadSecrets(folder);
  await rotateTokenKeys(folder);
  const { tokens: __, ...after } = await loadSecrets(folder);
  expect(after).toEqual(before);
  expect(await readdir(folder)).toEqual(['secrets.json']);
  expect((await stat(join(folder, 'secrets.json'))).mode & 0o777).toBe(0o600);
});

test('[S4] creates a new secret for sessions, and keeps the previous secrets', async () => {
  const folder = await temporaryFolder();
  const before = await loadSecrets(folder);
  await rotateSessionSecret(folder);
  await rotateSessionSecret(folder);
  const after = await loadSecrets(folder);
  expect(after.auth.map(({ version }) => version)).toEqual([3, 2, 1]);
  expect(after.auth.at(-1)).toEqual(before.auth[0]);
  expect(new Set(after.auth.map(({ value }) => value)).size).toBe(3);
  expect([after.tokens, after.objects]).toEqual([before.tokens, before.objects]);
});

test('rejects secrets that differ from those of other processes of the same database', async () => {
  const [folder, other] = [await temporaryFolder(), await temporaryFolder()];
  const { db } = await tablesOf(folder);
  onTestFinished(() => db.destroy());
  await requireSameSecrets(db, await loadSecrets(folder));
  await rotateTokenKeys(folder);
  await requireSameSecrets(db, await loadSecrets(folder));
  const refused = requireSameSecrets(db, await loadSecrets(other));
  await expect(refused).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(refused).rejects.toThrow(/^[^\n]*secrets\.json[^\n]*$/);
});
