/**
 * Measures the limits of this machine: how fast it encodes, hashes and encrypts, without any
 * product.
 */
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { encode } from '@ipld/dag-cbor';
import { documentOf } from '../documents.mjs';

const PLACE = 'Node';
const PRODUCT = 'limits';
const COUNT = 20_000;
const ARCHIVE_BYTES = 1_000_000;
const ARCHIVES = 100;

function seconds(work) {
  const started = performance.now();
  work();
  return (performance.now() - started) / 1000;
}

export function addLimits({ rounds, results, note }) {
  const docs = Array.from({ length: COUNT }, (_, n) => documentOf(n));
  const key = randomBytes(32);
  const archive = randomBytes(ARCHIVE_BYTES);
  for (let round = 1; round <= rounds; round++) {
    note(`Node, round ${round}: limits`);
    const blocks = [];
    const encoding = seconds(() => {
      for (const doc of docs) blocks.push(encode(doc));
    });
    const hashing = seconds(() => {
      for (const block of blocks) createHash('sha256').update(block).digest();
    });
    const sealing = seconds(() => {
      for (let n = 0; n < ARCHIVES; n++) {
        const cipher = createCipheriv('aes-256-gcm', key, randomBytes(12));
        cipher.update(archive);
        cipher.final();
      }
    });
    const add = (what, value, unit) => results.add(PLACE, PRODUCT, { id: 'limit', what, value, unit });
    add('dag-cbor encodes a document', COUNT / encoding, '/s');
    add('SHA-256 of a document', COUNT / hashing, '/s');
    add('AES-256-GCM of archives of 1 MB', (ARCHIVES * ARCHIVE_BYTES) / 1e6 / sealing, 'MB/s');
  }
}
