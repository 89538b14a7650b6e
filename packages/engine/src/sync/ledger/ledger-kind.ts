/**
 * Determines the kind of a ledger from its content, from memory, or, for a new ledger, from the
 * requested kind. The kind never changes.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { Listing } from '../transport/connection.ts';
import type { CountedKeys } from './counted-keys.ts';
import type { LedgerKind, LedgerSealing } from './ledger-sealing.ts';
import { isRecordText } from './ledger-sealing.ts';
import { openKeySealing } from './open-key-sealing.ts';
import { remember } from './remote-memory.ts';
import type { openSealedLedger, SealedLedger, SealedLedgerParts } from './sealed-ledger.ts';

/**
 * Remembers the requested kind before the remote responds, for later attachments that don't request
 * a kind. A later request for the other kind replaces the remembered kind, unless the remote has
 * shown the ledger's kind.
 */
export async function rememberWanted(
  place: Pick<LedgerParts, 'commits' | 'memory'>,
  wanted: LedgerKind | undefined,
): Promise<void> {
  const { memory } = place;
  const before = memory.wantedKind();
  if (wanted === undefined || memory.kind() !== undefined || wanted === before) return;
  if (wanted === 'open-key' && before === undefined) return;
  await remember(place, memory.rowsOfKind('wanted', wanted));
}

export interface LedgerParts extends SealedLedgerParts {
  /** Loads the code that only a sealed ledger needs. */
  readonly load: () => Promise<{ readonly openSealedLedger: typeof openSealedLedger }>;
}

export interface Ledger {
  /** Processes a listing. Returns whether a key is new. @throws FixpointError LEDGER_KIND */
  settle(listing: Listing): Promise<boolean>;
  /**
   * Returns whether the kind is known, the last listing matches it, and this device may read and
   * write.
   */
  isReady(): boolean;
  /**
   * Rotates the key if any other device that has it isn't announced by a user with access, such as
   * the device of a member who left. Such devices don't get the new key. Relies on what the remote
   * has reported so far.
   * @throws any error of putting the record
   */
  renewKey(): Promise<void>;
  /** Returns the sealing of the ledger; undefined until the remote responded. */
  sealing(): LedgerSealing | undefined;
  /** Returns the keys of a sealed ledger; undefined for other ledgers. */
  keys(): CountedKeys | undefined;
}

export function createLedger(parts: LedgerParts): Ledger {
  const { commits, memory, wanted } = parts;
  let sealing: LedgerSealing | undefined;
  let sealed: SealedLedger | undefined;
  let isOther = false;

  async function choose(listing: Listing): Promise<LedgerSealing> {
    const found = kindIn(listing) ?? kindSaid(listing);
    const known = memory.kind();
    const named = wanted ?? memory.wantedKind();
    if (known !== undefined && found !== undefined && known !== found) throw otherKind(known, found);
    const kind = found ?? known ?? named ?? 'open-key';
    if (named !== undefined && named !== kind) throw new FixpointError('LEDGER_KIND', `it is ${kind}`);
    if (known === undefined && (found !== undefined || kind === 'sealed'))
      await remember(parts, memory.rowsOfKind('kind', kind));
    return kind === 'open-key' ? openKeySealing(commits) : openSealed();
  }

  async function openSealed(): Promise<LedgerSealing> {
    sealed = await (await parts.load()).openSealedLedger(parts);
    return sealed.sealing;
  }

  return {
    settle: async (listing) => {
      sealing ??= await choose(listing);
      const { kind } = sealing;
      const said = kindSaid(listing) ?? kind;
      // Ignores the content of an open-key ledger: otherwise, a member could make it look sealed by
      // adding records.
      const shown = said === kind && kind === 'sealed' ? (kindIn(listing) ?? kind) : said;
      isOther = shown !== kind;
      if (isOther) throw otherKind(kind, shown);
      // The gateway sends these with each event, unless they are empty.
      const { removed = [], rejected = [] } = listing;
      const isNews = await sealing.learn(listing.keys, { ...listing, removed, rejected });
      const isFirst = await sealed?.join(listing, kindSaid(listing) === 'sealed');
      return isNews || isFirst === true;
    },
    renewKey: async () => sealed?.renewKey(),
    isReady: () => !isOther && sealing?.isReady() === true,
    sealing: () => sealing,
    keys: () => sealed?.keys,
  };
}

const otherKind = (was: LedgerKind, is: LedgerKind) =>
  new FixpointError('LEDGER_KIND', `it was ${was}, and is ${is} now`);

/**
 * Returns the kind that the remote reports, which applies until the content of the ledger shows its
 * kind.
 */
const kindSaid = ({ kind }: Listing): LedgerKind | undefined =>
  kind === 'sealed' || kind === 'open-key' ? kind : undefined;

/**
 * Returns the kind that the content shows. Any record of a sealed ledger makes the ledger sealed,
 * even among plain keys.
 */
function kindIn({ keys: texts, metas }: Listing): LedgerKind | undefined {
  if (texts.some(isRecordText) || metas.some(({ data }) => data.startsWith('S'))) return 'sealed';
  return texts.length > 0 || metas.length > 0 ? 'open-key' : undefined;
}
