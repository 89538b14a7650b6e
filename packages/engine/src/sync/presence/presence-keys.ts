/** Decides which key of a ledger seals states of presence, and which keys open them. */
import { isFixpointError } from '@fixpoint/protocol';
import { concatBytes, utf8 } from '../../base/bytes.ts';
import { base58Bytes } from '../../codec/base58.ts';
import { sha256 } from '../../codec/sha256.ts';
import type { LedgerKey } from '../../crypto/sealed-object.ts';
import type { Ledger } from '../ledger/ledger-kind.ts';
import { type PresenceKey, presenceKey } from './seal-state.ts';

/** After a rotation, states under the previous key are accepted for this time. */
export const PREVIOUS_KEY_MS = 60_000;

/** Lengths of keys in bytes. */
const KEY_BYTES = [16, 32];

export interface PresenceKeyParts {
  readonly ledger: Pick<Ledger, 'sealing' | 'keys' | 'isReady'>;
  /** Returns the keys that the remote listed. */
  readonly listed: () => ReadonlySet<string>;
  /** Identifies the ledger, as bytes. */
  readonly ledgerBytes: Uint8Array;
  readonly now: () => number;
}

export interface PresenceKeys {
  /** Looks whether keys changed. Returns whether other states may be readable than before. */
  refresh(): boolean;
  /** Returns the key that seals; undefined until this device has one. */
  current(): PresenceKey | undefined;
  /** Returns a key that may open states now. */
  find(name: string): PresenceKey | undefined;
}

export function createPresenceKeys(parts: PresenceKeyParts): PresenceKeys {
  const { ledger } = parts;
  const openKey = createOpenKeys(parts);
  const sealed = createSealedKeys(parts);
  const keys = () => (ledger.sealing()?.kind === 'sealed' ? sealed : openKey);
  return {
    refresh: () => keys().refresh(),
    current: () => (ledger.isReady() ? keys().current() : undefined),
    find: (name) => (ledger.isReady() ? keys().find(name) : undefined),
  };
}

/**
 * The keys of a sealed ledger: the current key, and the previous one for a minute after a rotation.
 * Removed devices have only earlier keys.
 */
function createSealedKeys({ ledger, now }: PresenceKeyParts): PresenceKeys {
  let current: PresenceKey | undefined;
  let previous: { readonly key: PresenceKey; readonly until: number } | undefined;
  const keyOf = ({ material, id }: LedgerKey) => presenceKey(material, id);
  return {
    refresh: () => {
      const keys = ledger.keys();
      const next = keys?.isApproved() ? keyOf(keys.current()) : undefined;
      const isExpired = previous !== undefined && now() >= previous.until;
      if (isExpired) previous = undefined;
      if (next?.name === current?.name) return isExpired;
      previous = current && next && { key: current, until: now() + PREVIOUS_KEY_MS };
      current = next;
      return true;
    },
    current: () => current,
    find: (name) => {
      if (name === current?.name) return current;
      return name === previous?.key.name && now() < previous.until ? previous.key : undefined;
    },
  };
}

/**
 * The keys of an open-key ledger, all of which the cloud and all members have. A ledger without any
 * key, into which nobody wrote yet, gets one that everybody can compute.
 */
function createOpenKeys({ listed, ledgerBytes }: PresenceKeyParts): PresenceKeys {
  const material = sha256(concatBytes([utf8('fixpoint presence without a key 1'), ledgerBytes]));
  const first = presenceKey(material, sha256(material));
  let seen: ReadonlySet<string> | undefined;
  let all = new Map<string, PresenceKey>([[first.name, first]]);
  let current = first;
  return {
    refresh: () => {
      const texts = listed();
      if (texts === seen) return false;
      seen = texts;
      const keys = [...texts].flatMap(keyOf);
      const isNews = keys.some(({ name }) => !all.has(name));
      all = new Map([first, ...keys].map((key) => [key.name, key]));
      // Keeps the key while it is listed, so that states aren't sent again for each new member.
      if (current === first || !all.has(current.name)) current = keys[0] ?? first;
      return isNews;
    },
    current: () => current,
    find: (name) => all.get(name),
  };
}

/** Returns the key of a text in the list; none if it is damaged, which opens nothing. */
function keyOf(text: string): readonly PresenceKey[] {
  try {
    const material = base58Bytes(text);
    return KEY_BYTES.includes(material.length) ? [presenceKey(material, sha256(material))] : [];
  } catch (cause) {
    if (isFixpointError(cause)) return [];
    throw cause;
  }
}
