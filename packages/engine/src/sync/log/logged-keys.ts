/**
 * The keys of a sealed ledger that may have a membership log. Without a log, this changes nothing.
 * Once a device has seen a log, the log decides, and no server can change that.
 */
import { FixpointError } from '@fixpoint/protocol';
import { isEntryText, type Signer } from '@fixpoint/protocol/storage';
import { hex } from '../../base/bytes.ts';
import { deviceIdOf } from '../../crypto/grant.ts';
import type { LedgerDevice, LedgerKeys } from '../../crypto/ledger-keys.ts';
import type { LedgerKey } from '../../crypto/sealed-object.ts';
import type { Platform } from '../../ports/platform.ts';
import { type FollowerParts, type LogFollower, openLogFollower } from './log-follower.ts';
import { type Followed, throwIf } from './log-state.ts';
import { removalTexts } from './log-writer.ts';

export interface LoggedKeysParts extends Omit<FollowerParts, 'report'> {
  readonly platform: Pick<Platform, 'random' | 'time' | 'report'>;
  /** Returns the signer of this database. @throws FixpointError NOT_IMPLEMENTED */
  readonly signer: () => Promise<Signer>;
  /** Returns the heads of the database: CIDs of events in bytes, sorted, at most 16. */
  readonly cut: () => readonly Uint8Array[];
}

/**
 * @throws FixpointError CORRUPT; NOT_IMPLEMENTED if this device knows a log and this platform can't
 * check signatures
 */
export async function loggedKeys(parts: LoggedKeysParts): Promise<LedgerKeys> {
  const { keys, platform, prefix, rows } = parts;
  let log: LogFollower | undefined;
  const open = () => openLogFollower({ ...parts, report: platform.report });
  if (keys.log() !== undefined || rows.has(`${prefix}log-wait`)) log = await open();

  /** Returns the texts that remove devices, and rotate the key. */
  async function removal(followed: Followed, ids: readonly string[]): Promise<readonly string[]> {
    const { view, current } = followed;
    if (current === undefined) throw new FixpointError('DEVICE_NOT_APPROVED');
    const timeMs = platform.time.now();
    const { ledger, signer, cut } = parts;
    const start = hex(keys.log() as Uint8Array);
    const { random } = platform;
    const given = { ledger, random, signer: await signer(), timeMs, start, view, current, cut: cut() };
    return removalTexts(given, ids);
  }

  return {
    ...keys,
    current: () => (log === undefined ? keys.current() : currentBy(log, keys)),
    isApproved: () => {
      const followed = log?.followed();
      if (followed === undefined) return keys.isApproved();
      return followed.seat !== undefined && followed.current !== undefined;
    },
    learn: async (texts, said) => {
      const isNews = await keys.learn(texts, said);
      if (log === undefined && (keys.log() !== undefined || texts.some(isEntryText))) log = await open();
      if (log === undefined || !(await log.learn(texts))) return isNews;
      // Follows the chain from the new key to earlier ones.
      await keys.learn([]);
      return true;
    },
    devices: () => {
      const followed = log?.followed();
      return followed === undefined ? keys.devices() : devicesBy(followed, keys);
    },
    keyring: () => {
      const described = log?.describe();
      return { ...keys.keyring(), ...(described && { log: described }) };
    },
    lost: (listed) => (log?.followed() === undefined ? keys.lost(listed) : log.lost(listed)),
    grant: async (code) => {
      if (log?.followed() === undefined) return keys.grant(code);
      throw new FixpointError('NOT_IMPLEMENTED', 'approvals in a ledger with a membership log');
    },
    newRecoveryCode: async () => {
      if (log?.followed() === undefined) return keys.newRecoveryCode();
      throw new FixpointError('NOT_IMPLEMENTED', 'another code in a ledger with a membership log');
    },
    rotate: async (ids) => {
      const followed = log?.followed();
      return followed === undefined ? keys.rotate(ids) : removal(followed, ids);
    },
    rotateAway: async () => {
      const followed = log?.followed();
      if (log === undefined || followed === undefined) return awayFrom(await keys.rotateAway(), log);
      if (log.waits() !== 'KEY_INVALID') return [];
      return removal(followed, []);
    },
    supersededRecords: async () => (log?.followed() === undefined ? keys.supersededRecords() : undefined),
  };
}

/** @throws FixpointError the reason why this device seals nothing */
function currentBy(log: LogFollower, keys: LedgerKeys): LedgerKey {
  throwIf(log.waits());
  const followed = log.followed();
  return followed === undefined ? keys.current() : (followed.current as LedgerKey);
}

/**
 * Returns the rotation of a device that doesn't know its log. The server rejects it, and members
 * wouldn't follow it.
 * @throws FixpointError LEDGER_NOT_COMPARED
 */
function awayFrom(texts: readonly string[], log: LogFollower | undefined): readonly string[] {
  if (texts.length > 0 && log?.describe() !== undefined) throw new FixpointError('LEDGER_NOT_COMPARED');
  return texts;
}

function devicesBy({ view, seat: own }: Followed, keys: LedgerKeys): readonly LedgerDevice[] {
  const { membership } = view;
  const { pair } = keys;
  const seats = membership.seats.all.filter(membership.isCurrent);
  const person = seats.find(({ key, entry }) => key === own?.key && entry === own.entry)?.person;
  return seats.map((seat) => {
    const [entry, admission] = [membership.past.entryOf(seat.entry), membership.past.entryOf(seat.person)];
    return {
      id: hex(deviceIdOf(bytesOf(seat.seal))),
      isThis: seat.seal === hex(pair.publicKey),
      isRecovery: seat.kind === 'code',
      owner: admission !== undefined && 'user' in admission ? admission.user : undefined,
      isOwn: seat.person === person,
      since: entry !== undefined && 'at' in entry ? entry.at : undefined,
    };
  });
}

const bytesOf = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (two) => Number.parseInt(two, 16));
