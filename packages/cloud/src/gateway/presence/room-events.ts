/** Sends the members of a room what changed: one event per socket, the same bytes for all. */
import { MESSAGE_VERSION } from '@fixpoint/protocol';
import { PRESENCE_EVENT, type PresenceEvent } from '@fixpoint/protocol/storage';
import { EVENT_CHARS_MAX } from './presence-limits.ts';
import { type Held, idsIn, type Room } from './room.ts';

type Triple = readonly [id: string, user: string, state: string];
const tripleOf = ({ id, userId, text }: Held): Triple => [id, userId, text];

function frameOf(content: PresenceEvent): Buffer {
  const rest = JSON.stringify({ version: MESSAGE_VERSION, ...content });
  return Buffer.from(`${PRESENCE_EVENT}${rest.slice(1)}`);
}

/**
 * Takes changed states out of a list, until their texts are long enough for one message. States
 * that ended in the meantime are dropped.
 */
function takeChanged(room: Room, keys: Set<string>, charsMax: number): readonly Held[] {
  const taken: Held[] = [];
  let chars = 0;
  for (const key of keys) {
    const held = room.states.get(key);
    if (held !== undefined) {
      chars += key.length + held.text.length;
      if (chars > charsMax && taken.length > 0) break;
      taken.push(held);
    }
    keys.delete(key);
  }
  return taken;
}

/**
 * Sends one event to each member. A member that can't read so fast, or whose listing is not due,
 * gets a listing later, instead of the changes.
 * @param mayList takes the turn of a user for one listing
 * @returns the number of bytes sent
 */
export function sendEvents(room: Room, mayList: (userId: string) => boolean): number {
  const { ledger } = room;
  const changed = takeChanged(room, room.changed, EVENT_CHARS_MAX);
  const gone = [...room.gone].map(idsIn);
  room.gone.clear();
  const isNews = changed.length + gone.length > 0;
  const news = isNews ? frameOf({ ledger, states: changed.map(tripleOf), gone }) : undefined;
  const [only] = gone.length === 0 && changed.length === 1 ? changed : [];
  let listing: Buffer | undefined;
  let sent = 0;
  for (const member of room.members.values()) {
    if (member.needsListing) {
      // A listing that a stalled socket doesn't take must not count against its user.
      if (!member.seat.isReading() || !mayList(member.userId)) continue;
      listing ??= frameOf({ ledger, all: true, states: [...room.states.values()].map(tripleOf) });
      member.needsListing = !member.seat.offer(listing);
      sent += listing.length;
    } else if (news !== undefined && only?.owner !== member) {
      member.needsListing = !member.seat.offer(news);
      sent += news.length;
    }
  }
  return sent;
}

/** Returns whether members of the room wait for an event. */
export function isWaiting({ changed, gone, members }: Room): boolean {
  if (changed.size + gone.size > 0) return true;
  for (const { needsListing } of members.values()) if (needsListing) return true;
  return false;
}
