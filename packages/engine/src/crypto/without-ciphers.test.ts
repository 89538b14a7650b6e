import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { dataKey } from './keys.ts';
import { seal } from './seal.ts';
import { sealRow } from './seal-row.ts';
import { ledgerKey, objectName, sealObject } from './sealed-object.ts';

const random = seededRandom(3);
const plain = utf8('plain');
const material = random.bytes(32);
const NOT_IMPLEMENTED = expect.objectContaining({ code: 'NOT_IMPLEMENTED' }) as Error;

/** Loads the modules as on a page over plain http: without the ciphers of Node and WebCrypto. */
describe('without ciphers', () => {
  beforeEach(() => {
    vi.resetModules();
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    vi.stubGlobal('crypto', undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  test('reports NOT_IMPLEMENTED, instead of reporting sealed data as corrupt', async () => {
    const [archives, rows, objects] = [
      await import('./seal.ts'),
      await import('./seal-row.ts'),
      await import('./sealed-object.ts'),
    ];
    const { dataKey: keyHere } = await import('./keys.ts');
    const key = keyHere(material);
    const all = new Map([[key.id, key]]);
    await expect(archives.open(sealed.archive, all)).rejects.toThrow(NOT_IMPLEMENTED);
    await expect(archives.seal(plain, key)).rejects.toThrow(NOT_IMPLEMENTED);
    await expect(rows.openRow('row', sealed.row, all)).rejects.toThrow(NOT_IMPLEMENTED);
    const ofLedger = objects.ledgerKey(material);
    const opened = objects.openObject(
      plain,
      'car',
      objectName(sealed.object),
      sealed.object,
      new Map([[ofLedger.name, ofLedger]]),
    );
    await expect(opened).rejects.toThrow(NOT_IMPLEMENTED);
  });
});

const sealed = {
  archive: await seal(plain, dataKey(material)),
  row: await sealRow('row', plain, dataKey(material), random.bytes(12)),
  object: await sealObject(plain, 'car', plain, ledgerKey(material), random),
};
