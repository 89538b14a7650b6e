/**
 * Determines the kind of a ledger: from its list of keys, what is remembered, or the requested kind
 * when it is new. It never changes.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import type { Listing } from '../transport/connection.ts';
import type { LedgerKind, LedgerSealing } from './ledger-sealing.ts';
import { openKeySealing } from './open-key-sealing.ts';
import type { KeyListParts, renewKeys } from './renew-keys.ts';
import type { openSealedLedger, SealedLedgerParts } from './sealed-ledger.ts';

/**
 * Remembers the requested kind before the remote responds, and holds later attachments without one
 * to it. Another kind replaces it only while no remote has shown the ledger's kind.
 */
export async function rememberWanted(
  { commits, memory }: Pick<LedgerParts, 'commits' | 'memory'>,
  wanted: LedgerKind | undefined,
): Promise<void> {
  const before = memory.wantedKind();
  if (wanted === undefined || memory.kind() !== undefined || wanted === before) return;
  if (wanted === 'open-key' && before === undefined) return;
  const rows = memory.rowsOfKind('wanted', wanted);
  await commits.markUploaded([], rows);
  memory.learned(rows);
}

export interface LedgerParts extends KeyListParts, SealedLedgerParts {
  /** The requested kind; undefined accepts any. */
  readonly wanted: LedgerKind | undefined;
  /** Loads what only a sealed ledger needs. */
  readonly load: () => Promise<{
    readonly openSealedLedger: typeof openSealedLedger;
    readonly renewKeys: typeof renewKeys;
  }>;
}

export interface Ledger {
  /** Processes a listing. Returns whether a key is new. @throws FixpointError LEDGER_KIND */
  settle(listing: Listing): Promise<boolean>;
  /** Whether the kind is known, the last listing matches it, and this device may read and write. */
  isReady(): boolean;
  /**
   * Rotates the key away from devices of members who left, as far as the remote has reported them.
   * @throws what putting the record throws
   */
  renewKey(): Promise<void>;
  /** Undefined until the remote responded. */
  sealing(): LedgerSealing | undefined;
  /** The keys of a sealed ledger. */
  keys(): LedgerKeys | undefined;
}

export function createLedger(parts: LedgerParts): Ledger {
  const { commits, memory, wanted, publish } = parts;
  let sealing: LedgerSealing | undefined;
  let keys: LedgerKeys | undefined;
  let hasAsked = false;
  let isOther = false;

  async function choose(listing: Listing): Promise<LedgerSealing> {
    const found = kindIn(listing) ?? kindSaid(listing);
    const known = memory.kind();
    const named = wanted ?? memory.wantedKind();
    if (known !== undefined && found !== undefined && known !== found) throw otherKind(known, found);
    const kind = found ?? known ?? named ?? 'open-key';
    if (named !== undefined && named !== kind) throw new FixpointError('LEDGER_KIND', `it is ${kind}`);
    if (known === undefined && (found !== undefined || kind === 'sealed')) {
      const rows = memory.rowsOfKind('kind', kind);
      await commits.markUploaded([], rows);
      memory.learned(rows);
    }
    return kind === 'open-key' ? openKeySealing(commits) : openSealed();
  }

  async function openSealed(): Promise<LedgerSealing> {
    const opened = await (await parts.load()).openSealedLedger(parts);
    keys = opened.keys;
    return opened.sealing;
  }

  /** Creates the first key on the first device; a later device asks once for approval. */
  async function join(own: LedgerKeys, listing: Listing): Promise<boolean> {
    const { keys: texts } = listing;
    if (hasAsked) return false;
    const isMadeSealed = (wanted ?? memory.wantedKind()) === 'sealed' || kindSaid(listing) === 'sealed';
    if (!own.isApproved() && !texts.some(isRecordText) && isMadeSealed) {
      const records = await own.create();
      await publish(records);
      hasAsked = true;
      return own.learn(records);
    }
    // If the record counts as that of a member who left, the device now belongs to another member.
    // An approved device that isn't announced would be left out of the next key.
    if (!own.isAnnounced()) {
      const put = publish([own.announcement()]);
      await (own.isApproved() ? put.catch(ignoreRefusal) : put);
    }
    hasAsked = true;
    return false;
  }

  return {
    settle: async (listing) => {
      sealing ??= await choose(listing);
      const { kind } = sealing;
      const said = kindSaid(listing) ?? kind;
      // Records that a member puts into an open-key ledger don't make it a sealed one.
      const shown = said === kind && kind === 'sealed' ? (kindIn(listing) ?? kind) : said;
      isOther = shown !== kind;
      if (isOther) throw otherKind(kind, shown);
      const isNews = await sealing.learn(listing.keys, { ...listing, removed: listing.removed ?? [] });
      const isFirst = keys !== undefined && (await join(keys, listing));
      return isNews || isFirst;
    },
    renewKey: async () => {
      if (keys?.isApproved() === true) await (await parts.load()).renewKeys(keys, parts);
    },
    isReady: () => !isOther && sealing?.isReady() === true,
    sealing: () => sealing,
    keys: () => keys,
  };
}

/** This device continues without it. */
function ignoreRefusal(cause: unknown): void {
  if (!isFixpointError(cause)) throw cause;
}

const otherKind = (was: LedgerKind, is: LedgerKind) =>
  new FixpointError('LEDGER_KIND', `it was ${was}, and is ${is} now`);

/** Whether a text of a `keys` list is a record of a sealed ledger, of this version or another. */
const isRecordText = (text: string): boolean => text.startsWith('S');

/**
 * Returns the kind that the remote reports; it counts until the content of the ledger shows one.
 */
const kindSaid = ({ kind }: Listing): LedgerKind | undefined =>
  kind === 'sealed' || kind === 'open-key' ? kind : undefined;

/**
 * Returns the kind shown by the content. Any record makes a ledger sealed, whatever else the list
 * has.
 */
function kindIn({ keys: texts, metas }: Listing): LedgerKind | undefined {
  if (texts.some(isRecordText) || metas.some(({ data }) => data.startsWith('S'))) return 'sealed';
  return texts.length > 0 || metas.length > 0 ? 'open-key' : undefined;
}
