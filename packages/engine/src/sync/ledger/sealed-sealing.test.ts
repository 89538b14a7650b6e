import { expect, test } from 'vitest';
import { packBlocks } from '../../archive/pack.ts';
import { utf8 } from '../../base/bytes.ts';
import { encodeBlock } from '../../codec/block.ts';
import type { Cid } from '../../codec/cid.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import { ledgerKey } from '../../crypto/sealed-object.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import type { RemoteMemory } from './remote-memory.ts';
import { sealedSealing } from './sealed-sealing.ts';

const archiveOf = (n: number) => {
  const block = encodeBlock({ n });
  return packBlocks(block.cid, [block]);
};

test('[R4] rejects an object under a name that a mark gave to another archive', async () => {
  const key = ledgerKey(new Uint8Array(32).fill(7));
  const names = new Map<Cid, Uint8Array>();
  const { seal, open } = sealedSealing({
    ledger: utf8('ledger'),
    keys: {
      current: () => key,
      all: () => new Map([[key.name, key]]),
      isApproved: () => true,
    } as unknown as LedgerKeys,
    memory: {
      named: (cid: Cid, name: Uint8Array) => void names.set(cid, name),
      nameOf: (cid: Cid) => names.get(cid),
      heldFiles: () => [],
    } as unknown as RemoteMemory,
    random: seededRandom(1),
  });
  const [sent, other] = [archiveOf(1), archiveOf(2)];
  const { body } = await seal('car', sent.cid, sent.bytes);
  expect(await open('car', sent.cid, body)).toEqual(sent.bytes);
  names.set(other.cid, names.get(sent.cid) as Uint8Array);
  await expect(open('car', other.cid, body)).rejects.toMatchObject({ code: 'CORRUPT' });
});
