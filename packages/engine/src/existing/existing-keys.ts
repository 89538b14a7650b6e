/**
 * Parses and encodes keys as the format's first implementation stores them: `{id, clazz:
 * "V2StorageKeyItem", item: {name, keys: {<fingerprint>: {key, fingerPrint, default}}}}`, or
 * `{name, key}` in its earlier versions. Key material is plaintext in base58btc.
 */
import { FixpointError } from '@fixpoint/protocol';
import { type DataKey, type Keys, keyText, parseKeyText } from '../crypto/keys.ts';

export const storeKeyName = (database: string): string => `@${database}-data@`;

/**
 * Returns the keys of a record. The first one is used to seal.
 * @throws FixpointError CORRUPT, MISSING_STORE_KEY when the record has no keys
 */
export function parseKeyRecord(record: unknown, name: string): readonly DataKey[] {
  const item = fieldsOf(fieldsOf(record)['item'] ?? record);
  const legacy = item['key'];
  const entries =
    typeof legacy === 'string'
      ? [{ key: legacy, isDefault: true }]
      : Object.values(fieldsOf(item['keys'])).map((value) => {
          const { key, default: isDefault } = fieldsOf(value);
          return { key, isDefault: isDefault === true };
        });
  if (entries.length === 0) throw new FixpointError('MISSING_STORE_KEY', name);
  return [...entries]
    .sort((a, b) => Number(b.isDefault) - Number(a.isDefault))
    .map(({ key }) => {
      if (typeof key !== 'string') throw new FixpointError('CORRUPT', `key record ${name}`);
      return parseKeyText(key);
    });
}

/** Returns whether a record contains keys. A key bag also contains tokens and device ids. */
export function isKeyRecord(record: unknown): boolean {
  try {
    return parseKeyRecord(record, '').length > 0;
  } catch {
    return false;
  }
}

/** Encodes keys as a record. */
export function keyRecord(name: string, { current, all }: Keys): unknown {
  const keys = Object.fromEntries(
    [...all.values()].map((key) => [
      key.id,
      { key: keyText(key), fingerPrint: key.id, default: key.id === current.id },
    ]),
  );
  return { id: name, clazz: 'V2StorageKeyItem', item: { name, keys } };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
