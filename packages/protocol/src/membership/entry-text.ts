/** Reads and writes the texts of entries (docs/internals/membership-rules.md, "Form"). */
import { bytesOf, type RecordField, readMap, recordBytes, recordText } from '../storage/record-fields.ts';
import { hex, textOf } from './bytes.ts';
import type { EntryId, LogEntry, Role, Rotation, SeatKeys } from './entry.ts';
import { ENTRY_CHARS_MAX, fieldFault, isKind, KEY_ID_BYTES, type Kind } from './entry-fields.ts';
import { InvalidEntryError } from './invalid-entry-error.ts';

/** The mark of entries and greetings. */
export const MARK = 'S2.';

/** The fields of an entry by their names in the encoded map. */
export type EntryFields = Readonly<Record<string, RecordField>>;

/** An entry whose form is right, and whose signatures weren't checked yet. */
export interface ReadEntry {
  readonly entry: LogEntry;
  /** Reads the fields again with each access: only checks of signatures need them. */
  readonly fields: EntryFields;
}

/** Returns whether a text has a mark that only later versions know (F14). */
export const isLaterForm = (text: string): boolean => /^S[1-9]\d*\./.test(text) && !/^S[12]\./.test(text);

/**
 * The start of a greeting. `t` is the shortest name of a field, so it is the first one in a map:
 * after a head of one byte, the map has the bytes `61 74`, then `65` and the text `hello`.
 */
const GREETING = /^S2\...F0ZWhlbGxv/;

/** The starts of entries of the kinds `start`, `key` and `remove`, by the same reasoning. */
const LEADING = /^S2\...F0(?:ZXN0YXJ0|Y2tl|ZnJl)/;

/**
 * Returns whether a text may be an entry that starts a log or contains a rotation. Most entries of
 * a long log aren't, and decoding them takes much longer.
 */
export const mayLead = (text: string): boolean => LEADING.test(text);

/** Returns whether a text starts like a greeting (N2). */
export const isGreetingText = (text: string): boolean => GREETING.test(text);

/** Returns whether a text has the mark of entries and isn't a greeting. */
export const isEntryText = (text: string): boolean => text.startsWith(MARK) && !isGreetingText(text);

/** Returns the sha-256 of bytes. */
export type Hash = (bytes: Uint8Array) => Uint8Array;

/**
 * Encodes an entry.
 * @throws InvalidEntryError if the fields break a rule
 */
export function encodeEntry(fields: EntryFields): string {
  const text = recordText(recordBytes(fields), MARK);
  const { kind, found } = readFields(text);
  checkFields(kind, found);
  return text;
}

/**
 * Decodes an entry.
 * @param isChecked returns whether an entry passed all checks before. Its fields aren't checked
 * again
 * @throws InvalidEntryError for bytes that break a rule that can be checked without other entries
 * and without signatures
 */
export function decodeEntry(
  text: string,
  hash: Hash,
  isChecked: (id: EntryId) => boolean = () => false,
): ReadEntry {
  const { kind, found, bytes } = readFields(text, scratch);
  const id = hex(hash(bytes));
  if (!isChecked(id)) checkFields(kind, found);
  return {
    entry: entryOf(kind, found, id),
    get fields() {
      return Object.fromEntries(readFields(text).found);
    },
  };
}

/** The bytes of the entry that is decoded now. Memory for each takes longer than decoding. */
const scratch = /* @__PURE__ */ new Uint8Array(ENTRY_CHARS_MAX);

type Fields = ReadonlyMap<string, RecordField>;

interface FoundFields {
  readonly kind: Kind;
  readonly found: Fields;
  /** The encoded map, which is the only encoding of these fields. */
  readonly bytes: Uint8Array;
}

/** @throws InvalidEntryError @param into see `bytesOf` */
function readFields(text: string, into?: Uint8Array): FoundFields {
  if (text.length > ENTRY_CHARS_MAX) throw new InvalidEntryError('F2', `${text.length} characters`);
  const bytes = text.startsWith(MARK) ? bytesOf(text, MARK.length, into) : undefined;
  const found = bytes && readMap(bytes);
  if (bytes === undefined || found === undefined)
    throw new InvalidEntryError('F1', 'the only encoding of a map');
  const kind = found.get('t');
  if (!isKind(kind)) throw new InvalidEntryError('F1', 'unknown kind');
  return { kind, found, bytes };
}

/** @throws InvalidEntryError */
function checkFields(kind: Kind, found: Fields): void {
  const fault = fieldFault(kind, found);
  if (fault !== undefined) throw new InvalidEntryError(fault.rule, fault.field);
}

const bytesIn = (fields: Fields, name: string): Uint8Array => fields.get(name) as Uint8Array;
const hexIn = (fields: Fields, name: string): string => hex(bytesIn(fields, name));
const textIn = (fields: Fields, name: string): string => textOf(bytesIn(fields, name));
const listIn = (fields: Fields, name: string): string[] =>
  ((fields.get(name) ?? []) as readonly Uint8Array[]).map(hex);
const has = (fields: Fields, name: string): boolean => fields.has(name);

/** Returns a time of 6 bytes, most significant byte first. */
const timeIn = (fields: Fields): number => bytesIn(fields, 'at').reduce((time, byte) => time * 256 + byte, 0);

const deviceIn = (fields: Fields): SeatKeys => ({
  sign: hexIn(fields, 'dev'),
  seal: hexIn(fields, 'seal'),
});

const codeIn = (fields: Fields): SeatKeys => ({
  sign: hexIn(fields, 'csign'),
  seal: hexIn(fields, 'cseal'),
});

function rotationIn(fields: Fields): Rotation {
  const both = bytesIn(fields, 'rot');
  return { key: hex(both.subarray(0, KEY_ID_BYTES)), record: hex(both.subarray(KEY_ID_BYTES)) };
}

function entryOf(kind: Kind, fields: Fields, id: EntryId): LogEntry {
  const prev = listIn(fields, 'prev');
  if (kind === 'join') return { kind, id, prev };
  const signed = {
    ...{ id, prev, at: timeIn(fields) },
    by: { key: hexIn(fields, 'by'), entry: kind === 'start' ? id : hexIn(fields, 'in') },
    own: has(fields, 'own') ? hexIn(fields, 'own') : undefined,
  };
  const seen = has(fields, 'seen');
  const cut = listIn(fields, 'cut');
  switch (kind) {
    case 'start': {
      const founder = { user: textIn(fields, 'user'), name: textIn(fields, 'name'), role: 'admin' as const };
      const keys = { device: deviceIn(fields), code: codeIn(fields), dataKey: hexIn(fields, 'key') };
      return { kind, ...signed, ...founder, ...keys, seen: true, cut };
    }
    case 'person': {
      const person = { user: textIn(fields, 'user'), name: textIn(fields, 'name') };
      const code = has(fields, 'csign') ? codeIn(fields) : undefined;
      return { kind, ...signed, ...person, role: roleIn(fields), device: deviceIn(fields), code, seen };
    }
    case 'device': {
      const name = textIn(fields, 'name');
      return { kind, ...signed, person: hexIn(fields, 'person'), device: deviceIn(fields), name, seen };
    }
    case 'code': {
      const other = {
        key: has(fields, 'wkey') ? hexIn(fields, 'wkey') : undefined,
        entry: has(fields, 'with') ? hexIn(fields, 'with') : undefined,
      };
      const cosigner = other.key && other.entry ? { key: other.key, entry: other.entry } : undefined;
      return { kind, ...signed, person: hexIn(fields, 'person'), code: codeIn(fields), with: cosigner };
    }
    case 'role':
      return { kind, ...signed, person: hexIn(fields, 'person'), role: roleIn(fields), cut, seen };
    case 'remove': {
      const target = has(fields, 'person')
        ? { person: hexIn(fields, 'person') }
        : { key: hexIn(fields, 'target') };
      const rotation = has(fields, 'rot') ? rotationIn(fields) : undefined;
      return { kind, ...signed, target, cut, keep: listIn(fields, 'keep'), rotation };
    }
    case 'leave':
      return { kind, ...signed, all: has(fields, 'all'), cut };
    case 'key':
      return { kind, ...signed, rotation: rotationIn(fields) };
  }
}

const roleIn = (fields: Fields): Role => fields.get('role') as Role;
