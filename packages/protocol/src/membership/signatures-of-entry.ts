/** Signs entries, and checks their signatures (F6, F7). */
import type { CodeRecord } from '../storage/parse-key-record.ts';
import { concatBytes, listBytes, recordBytes } from '../storage/record-fields.ts';
import { utf8 } from './bytes.ts';
import type { FormRule } from './entry.ts';
import { type EntryFields, encodeEntry } from './entry-text.ts';

const ENTRY = 'fixpoint log 1';
const BY_CODE = 'fixpoint log code 1';
const BY_COSIGNER = 'fixpoint log with 1';
const CONSENT = 'fixpoint consent 1';
const CODE_REQUEST = 'fixpoint code request 1';

export interface Signer {
  /** The compressed public key, 33 bytes. */
  readonly publicKey: Uint8Array;
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/**
 * Returns whether a signature is valid; undefined if this platform can't check signatures.
 * `isSignedBy` is such a function.
 */
export type Verify = (
  key: Uint8Array,
  bytes: Uint8Array,
  signature: Uint8Array,
) => Promise<boolean | undefined>;

/** Returns the bytes that name a ledger in everything that is signed for it. */
export const ledgerBytes = (tenant: string, ledger: string): Uint8Array => listBytes([tenant, ledger]);

/** Returns what a signature covers: its purpose, the ledger, and all fields but some. */
export function signedText(
  purpose: string,
  ledger: Uint8Array,
  fields: EntryFields,
  without: readonly string[],
) {
  const covered = Object.entries(fields).filter(([name]) => !without.includes(name));
  return concatBytes([utf8(purpose), ledger, recordBytes(Object.fromEntries(covered))]);
}

type Keys = readonly [sign: Uint8Array, seal: Uint8Array];

function consentText(
  ledger: Uint8Array,
  user: Uint8Array,
  kind: 'device' | 'code',
  keys: readonly Uint8Array[],
) {
  return concatBytes([utf8(CONSENT), ledger, listBytes([user, kind, ...keys])]);
}

/** Parts of the consent of a key that an entry introduces. */
export interface Consent {
  readonly ledger: Uint8Array;
  /** The user id of the person. */
  readonly user: Uint8Array;
  readonly kind: 'device' | 'code';
  readonly seal: Uint8Array;
  /** For a device: the keys of the code that the same entry introduces. */
  readonly code?: Keys | undefined;
}

/** Signs the consent of a key to be introduced (F7). */
export const consentOf = (signer: Signer, { ledger, user, kind, seal, code }: Consent): Promise<Uint8Array> =>
  signer.sign(consentText(ledger, user, kind, [signer.publicKey, seal, ...(code ?? [])]));

export interface EntrySigners {
  readonly signer: Signer;
  /** The code that signs `start`, too. */
  readonly code?: Signer | undefined;
  /** The device that signs the successor of a code, too (C5). */
  readonly cosigner?: Signer | undefined;
}

/**
 * Returns the text of an entry with its signatures.
 * @param fields all fields but `sig`, `csig` and `wsig`
 * @throws InvalidEntryError if the fields break a rule
 */
export async function signedEntry(
  fields: EntryFields,
  ledger: Uint8Array,
  { signer, code, cosigner }: EntrySigners,
): Promise<string> {
  const by = { ...fields, by: signer.publicKey };
  const withCode = code && { csig: await code.sign(signedText(BY_CODE, ledger, by, ['csig', 'sig'])) };
  const wkey = cosigner && { wkey: cosigner.publicKey };
  const covered = { ...by, ...withCode, ...wkey };
  const wsig = cosigner && (await cosigner.sign(signedText(BY_COSIGNER, ledger, covered, ['wsig', 'sig'])));
  const all = { ...covered, ...(wsig && { wsig }) };
  return encodeEntry({ ...all, sig: await signer.sign(signedText(ENTRY, ledger, all, ['sig'])) });
}

interface Claim {
  readonly rule: FormRule;
  readonly key: Uint8Array;
  readonly text: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * Returns the rule that a signature of an entry breaks. Returns `unchecked` if this platform can't
 * check signatures.
 * @param user the user id of the person of the entry, if the entry introduces a key
 */
export async function signatureFault(
  fields: EntryFields,
  ledger: Uint8Array,
  user: Uint8Array | undefined,
  verify: Verify,
): Promise<FormRule | 'unchecked' | undefined> {
  for (const { rule, key, text, signature } of claimsOf(fields, ledger, user)) {
    const isRight = await verify(key, text, signature);
    if (isRight !== true) return isRight === undefined ? 'unchecked' : rule;
  }
  return undefined;
}

function claimsOf(fields: EntryFields, ledger: Uint8Array, user: Uint8Array | undefined): Claim[] {
  const bytes = (name: string) => fields[name] as Uint8Array;
  const claims: Claim[] = [];
  const claim = (rule: FormRule, key: string, signature: string, text: Uint8Array) => {
    if (fields[signature] !== undefined)
      claims.push({ rule, key: bytes(key), text, signature: bytes(signature) });
  };
  claim('F6', 'by', 'sig', signedText(ENTRY, ledger, fields, ['sig']));
  claim('F6', 'csign', 'csig', signedText(BY_CODE, ledger, fields, ['csig', 'sig']));
  claim('F6', 'wkey', 'wsig', signedText(BY_COSIGNER, ledger, fields, ['wsig', 'sig']));
  if (user === undefined) return claims;
  const code = fields['cok'] === undefined ? [] : [bytes('csign'), bytes('cseal')];
  if (fields['ok'] !== undefined)
    claim('F7', 'dev', 'ok', consentText(ledger, user, 'device', [bytes('dev'), bytes('seal'), ...code]));
  if (code.length > 0) claim('F7', 'csign', 'cok', consentText(ledger, user, 'code', code));
  return claims;
}

/**
 * Signs a request for a recovery code by a device of the member. Otherwise the server could offer a
 * code of its own, and add devices to the member with it.
 * @param record without `by` and `sig`
 */
export async function signedCodeRequest(
  record: Omit<CodeRecord, 'by' | 'sig'>,
  ledger: Uint8Array,
  signer: Signer,
): Promise<CodeRecord> {
  const all = { ...record, by: signer.publicKey };
  return { ...all, sig: await signer.sign(signedText(CODE_REQUEST, ledger, all, [])) };
}

/** Returns whether the device that a request names signed it. */
export const isSignedCodeRequest = (
  record: CodeRecord,
  ledger: Uint8Array,
  verify: Verify,
): Promise<boolean | undefined> =>
  verify(record.by, signedText(CODE_REQUEST, ledger, { ...record }, ['sig']), record.sig);
