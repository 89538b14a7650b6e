/** The fields of each kind of entry (docs/internals/membership-rules.md, "Form"). */
import { isP256Point } from '../storage/p256-point.ts';
import type { RecordField } from '../storage/record-fields.ts';
import { compareBytes, textOf } from './bytes.ts';
import { type FormRule, ROLES } from './entry.ts';
import { SIGNATURE_BYTES, SIGNING_KEY_BYTES } from './is-signed-by.ts';

/** Maximum number of characters of an entry (F2). */
export const ENTRY_CHARS_MAX = 8192;
/** Maximum number of entries that one entry follows directly (F2). */
export const PREV_MAX = 64;
const KEEP_MAX = 64;
const CUT_MAX = 16;
const NAME_BYTES_MAX = 200;

const HASH_BYTES = 32;
const TIME_BYTES = 6;
export const KEY_ID_BYTES = 16;
const PROOF_BYTES = 28;
/** A CID of an event: version 1, dag-cbor, sha-256 of 32 bytes. */
const CID_START = Uint8Array.of(1, 0x71, 0x12, HASH_BYTES);

/** Returns the rule that a field breaks. */
type Check = (field: RecordField) => FormRule | undefined;

const bytes =
  (length: number, rule: FormRule = 'F1'): Check =>
  (field) =>
    field instanceof Uint8Array && field.length === length ? undefined : rule;

const hash = bytes(HASH_BYTES);
const signature = bytes(SIGNATURE_BYTES, 'F6');

const signingKey: Check = (field) =>
  field instanceof Uint8Array && field.length === SIGNING_KEY_BYTES && (field[0] === 2 || field[0] === 3)
    ? undefined
    : 'F5';

const sealingKey: Check = (field) => (field instanceof Uint8Array && isP256Point(field) ? undefined : 'F5');

const cid: Check = (field) =>
  field instanceof Uint8Array &&
  field.length === CID_START.length + HASH_BYTES &&
  compareBytes(field.subarray(0, CID_START.length), CID_START) === 0
    ? undefined
    : 'F1';

const flag: Check = (field) =>
  field instanceof Uint8Array && field.length === 1 && field[0] === 1 ? undefined : 'F1';

const oneOf =
  (texts: readonly string[]): Check =>
  (field) =>
    typeof field === 'string' && texts.includes(field) ? undefined : 'F1';

const list =
  (item: Check, max: number): Check =>
  (field) => {
    if (typeof field === 'string' || field instanceof Uint8Array || field.length === 0) return 'F1';
    if (field.length > max) return 'F2';
    const isSorted = field.every((one, at) => at === 0 || compareBytes(field[at - 1] as Uint8Array, one) < 0);
    return field.map(item).find((rule) => rule !== undefined) ?? (isSorted ? undefined : 'F3');
  };

/** Control characters, and characters that change the direction of what follows. */
const HIDDEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

const name: Check = (field) => {
  if (!(field instanceof Uint8Array) || field.length === 0) return 'F1';
  if (field.length > NAME_BYTES_MAX) return 'F2';
  try {
    return HIDDEN.test(textOf(field)) ? 'F2' : undefined;
  } catch {
    return 'F2';
  }
};

/** Returns whether an entry may contain a name (F2). @param bytes UTF-8 */
export const isNameOfEntry = (bytes: Uint8Array): boolean => name(bytes) === undefined;

const FIELDS: Readonly<Record<string, Check>> = {
  ...{
    prev: list(hash, PREV_MAX),
    heads: list(hash, PREV_MAX),
    at: bytes(TIME_BYTES),
    by: signingKey,
    in: hash,
    own: hash,
    sig: signature,
  },
  ...{ user: name, name, role: oneOf(ROLES), person: hash, seen: flag, all: flag },
  ...{ dev: signingKey, seal: sealingKey, ok: signature },
  ...{ csign: signingKey, cseal: sealingKey, cok: signature, csig: signature },
  ...{ with: hash, wkey: signingKey, wsig: signature },
  ...{ target: signingKey, keep: list(signingKey, KEEP_MAX), cut: list(cid, CUT_MAX) },
  ...{ key: bytes(KEY_ID_BYTES), proof: bytes(PROOF_BYTES), rot: bytes(KEY_ID_BYTES + HASH_BYTES) },
};

interface KindFields {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /** Returns whether fields that depend on each other fit together. */
  readonly fits?: (fields: ReadonlyMap<string, RecordField>) => boolean;
}

const SIGNED = ['prev', 'at', 'by', 'in', 'sig'];
const DEVICE = ['dev', 'seal', 'ok'];
const CODE = ['csign', 'cseal', 'cok'];
const COSIGNER = ['with', 'wkey', 'wsig'];

type Fields = ReadonlyMap<string, RecordField>;
const hasAllOrNone = (fields: Fields, names: readonly string[]) =>
  names.every((one) => fields.has(one)) || !names.some((one) => fields.has(one));

/** The fields of each kind, in addition to `t`. */
const KINDS = {
  start: {
    required: [...['at', 'by', 'sig', 'user', 'name', 'key', 'proof', 'csig'], ...DEVICE, ...CODE],
    optional: ['cut'],
  },
  person: {
    required: [...SIGNED, ...DEVICE, 'user', 'name', 'role'],
    optional: ['own', 'seen', ...CODE],
    fits: (fields) => hasAllOrNone(fields, CODE),
  },
  device: { required: [...SIGNED, ...DEVICE, 'person', 'name'], optional: ['own', 'seen'] },
  code: {
    required: [...SIGNED, ...CODE, 'person'],
    optional: ['own', ...COSIGNER],
    fits: (fields) => hasAllOrNone(fields, COSIGNER),
  },
  role: {
    required: [...SIGNED, 'person', 'role'],
    optional: ['own', 'cut', 'seen'],
    fits: (fields) =>
      (!fields.has('cut') || fields.get('role') === 'read') &&
      (!fields.has('seen') || fields.get('role') === 'admin'),
  },
  remove: {
    required: SIGNED,
    optional: ['own', 'person', 'target', 'cut', 'keep', 'rot'],
    fits: (fields) => fields.has('person') !== fields.has('target'),
  },
  leave: {
    required: SIGNED,
    optional: ['own', 'all', 'cut'],
    fits: (fields) => !fields.has('cut') || fields.has('all'),
  },
  key: { required: [...SIGNED, 'rot'], optional: ['own'] },
  join: { required: ['prev'], fits: (fields) => (fields.get('prev') as RecordField).length > 1 },
} as const satisfies Readonly<Record<string, KindFields>>;

export type Kind = keyof typeof KINDS;

export const isKind = (t: RecordField | undefined): t is Kind =>
  typeof t === 'string' && Object.hasOwn(KINDS, t);

const GREETING = { required: ['at', 'by', 'heads', 'in', 'sig'] } as const satisfies KindFields;

interface Fault {
  readonly rule: FormRule;
  readonly field: string;
}

/** Returns the rule that the fields of an entry break, and the name of the field. */
export const fieldFault = (kind: Kind, fields: Fields): Fault | undefined => faultIn(KINDS[kind], fields);

/** Returns the rule that the fields of a greeting break, and the name of the field (N2). */
export const greetingFault = (fields: Fields): Fault | undefined => faultIn(GREETING, fields);

function faultIn({ required, optional = [], fits }: KindFields, fields: Fields): Fault | undefined {
  const missing = required.find((one) => !fields.has(one));
  if (missing !== undefined) return { rule: 'F1', field: missing };
  for (const [field, value] of fields) {
    if (field === 't') continue;
    const isKnown = required.includes(field) || optional.includes(field);
    const rule = isKnown ? FIELDS[field]?.(value) : 'F1';
    if (rule !== undefined) return { rule, field };
  }
  return fits === undefined || fits(fields) ? keyFault(fields) : { rule: 'F1', field: 't' };
}

/** An entry never introduces one key as a device and as a code (F5). */
function keyFault(fields: Fields): Fault | undefined {
  const [device, code] = [fields.get('dev'), fields.get('csign')];
  const isTwice =
    device instanceof Uint8Array && code instanceof Uint8Array && compareBytes(device, code) === 0;
  return isTwice ? { rule: 'F5', field: 'csign' } : undefined;
}
