/**
 * Greetings: signs of life of a seat, outside of the log (docs/internals/membership-rules.md, N2).
 * Without them, members couldn't tell a quiet ledger from a server that withholds everything.
 */
import { bytesOf, readMap, recordBytes, recordText } from '../storage/record-fields.ts';
import { hex } from './bytes.ts';
import type { EntryId, SeatName } from './entry.ts';
import { ENTRY_CHARS_MAX, greetingFault } from './entry-fields.ts';
import { type EntryFields, isGreetingText, MARK } from './entry-text.ts';
import { type Signer, signedText, type Verify } from './signatures-of-entry.ts';

const PURPOSE = 'fixpoint hello 1';

export interface Greeting {
  readonly seat: SeatName;
  /** When the device signed it by its own clock, in milliseconds since 1970. Always rises. */
  readonly at: number;
  /** The heads of the log that the device knows. */
  readonly heads: readonly EntryId[];
}

export interface ReadGreeting {
  readonly greeting: Greeting;
  readonly fields: EntryFields;
}

/** Decodes a greeting. Returns undefined for any other text. Doesn't check the signature. */
export function readGreeting(text: string): ReadGreeting | undefined {
  if (!isGreetingText(text) || text.length > ENTRY_CHARS_MAX) return undefined;
  const bytes = bytesOf(text.slice(MARK.length));
  const found = bytes && readMap(bytes);
  if (found === undefined || greetingFault(found) !== undefined) return undefined;
  const fields = Object.fromEntries(found);
  const of = (name: string) => fields[name] as Uint8Array;
  const greeting = {
    seat: { key: hex(of('by')), entry: hex(of('in')) },
    at: of('at').reduce((time, byte) => time * 256 + byte, 0),
    heads: (fields['heads'] as readonly Uint8Array[]).map(hex),
  };
  return { greeting, fields };
}

/**
 * Returns whether the seat that a greeting names signed it.
 * @param ledger see `ledgerBytes`
 */
export const isSignedGreeting = async (
  { fields }: ReadGreeting,
  ledger: Uint8Array,
  verify: Verify,
): Promise<boolean | undefined> =>
  verify(
    fields['by'] as Uint8Array,
    signedText(PURPOSE, ledger, fields, ['sig']),
    fields['sig'] as Uint8Array,
  );

/**
 * Returns the text of a greeting.
 * @param fields the fields `at`, `in` and `heads`
 */
export async function signedGreeting(
  fields: Pick<EntryFields, 'at' | 'in' | 'heads'>,
  ledger: Uint8Array,
  signer: Signer,
): Promise<string> {
  const all: EntryFields = { ...fields, t: 'hello', by: signer.publicKey };
  const sig = await signer.sign(signedText(PURPOSE, ledger, all, ['sig']));
  return recordText(recordBytes({ ...all, sig }), MARK);
}
