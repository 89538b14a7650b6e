import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { memoryStore } from '../platform/memory-store.ts';
import { settleMode } from './mode.ts';

const code = (name: string) => expect.objectContaining({ code: name }) as Error;
const settle = async (values: Map<string, Uint8Array>, isEncrypted: boolean) =>
  settleMode(memoryStore(values), [...values.keys()], isEncrypted);

describe('the encryption mode of a database', () => {
  test('is fixed when the database is created', async () => {
    const [clear, sealed] = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>()];
    await settle(clear, false);
    await settle(clear, false);
    await expect(settle(clear, true)).rejects.toThrow(code('MODE_MISMATCH'));
    await settle(sealed, true);
    sealed.set('head', utf8('sealed'));
    await settle(sealed, true);
    await expect(settle(sealed, false)).rejects.toThrow(code('MODE_MISMATCH'));
    expect([...sealed.keys()]).toEqual(['head']);
  });

  test.each([
    ['{"v":2,"encrypted":false}', 'FORMAT_NEWER'],
    ['{"v":2,"sealed":"otherwise"}', 'FORMAT_NEWER'],
    ['{"v":1,"encrypted":true}', 'CORRUPT'],
    ['{"v":1}', 'CORRUPT'],
    ['{"v":0,"encrypted":false}', 'CORRUPT'],
    ['{"v":"1","encrypted":false}', 'CORRUPT'],
    ['{}', 'CORRUPT'],
    ['null', 'CORRUPT'],
    ['{"v":1,"encr', 'CORRUPT'],
    ['', 'CORRUPT'],
  ])('[R4] rejects a mode row %s and does not change it', async (row, why) => {
    const values = new Map([['mode', utf8(row)]]);
    await expect(settle(values, false)).rejects.toThrow(code(why));
    expect([...values]).toEqual([['mode', utf8(row)]]);
  });
});
