/** A meta entry is opaque to the gateway but for one thing: the archives that it names must be there before anybody sees it. */
import type { MetaEntry } from '@fixpoint/protocol/storage';

const CID_TEXT = /^b[a-z2-7]{20,200}$/;
const CARS_MAX = 10_000;

/**
 * The archives named in an entry, or undefined when it can't be read (a sealed ledger's can't). The entry is base64 of a block that holds, as bytes, the
 * text `{"cars":[{"/":"<cid>"}]}`; the text is looked for instead of decoding bytes that a stranger wrote.
 */
export function carsOf({ data }: MetaEntry): readonly string[] | undefined {
  const text = Buffer.from(data.slice(1), 'base64').toString('latin1');
  const start = text.indexOf('{"cars":[');
  const end = text.indexOf(']}', start);
  if (start < 0 || end < 0) return undefined;
  try {
    const { cars } = JSON.parse(text.slice(start, end + 2)) as { cars: { '/': string }[] };
    const cids = cars.map((car) => car['/']);
    return cids.length <= CARS_MAX && cids.every((cid) => CID_TEXT.test(cid)) ? cids : undefined;
  } catch {
    return undefined;
  }
}
