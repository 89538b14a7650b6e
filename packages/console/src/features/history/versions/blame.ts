/** Finds out which version of a document gave each field its value. */
import type { DocumentVersion } from 'fixpoint';

export interface Blame {
  readonly version: DocumentVersion;
  /** Whether the version set the value. Otherwise, an older one did, which isn't known any more. */
  readonly isExact: boolean;
}

export interface Blamed {
  readonly fields: ReadonlyMap<string, Blame>;
  /** Whether older versions can't change the result. */
  readonly isComplete: boolean;
}

/**
 * Returns the version that set each field of the newest version to its value: the oldest one of
 * those that have had the same value since. A write that lost against a concurrent one isn't
 * blamed, because its value isn't in the document.
 * @param versions newest first, without a gap
 * @param isAll whether there are no older versions
 */
export function blameOf(versions: readonly DocumentVersion[], isAll: boolean): Blamed {
  const fields = new Map<string, Blame>();
  const wanted = new Map<string, string>();
  for (const [name, value] of Object.entries(versions[0]?.value ?? {}))
    if (name !== '_id') wanted.set(name, jsonOf(value));
  const blame = (name: string, version: DocumentVersion, isExact: boolean) => {
    fields.set(name, { version, isExact });
    wanted.delete(name);
  };
  for (const [at, version] of versions.entries()) {
    const older = versions[at + 1];
    const isLost = version.isHorizon === true || older?.isDropped === true;
    if (older === undefined && !isAll && !isLost) break;
    for (const [name, json] of [...wanted])
      if (isLost) blame(name, version, false);
      else if (!hasValue(older?.value, name, json)) blame(name, version, true);
    if (wanted.size === 0) break;
  }
  return { fields, isComplete: wanted.size === 0 };
}

const hasValue = (doc: object | undefined, name: string, json: string): boolean =>
  doc !== undefined &&
  Object.hasOwn(doc, name) &&
  jsonOf((doc as Readonly<Record<string, unknown>>)[name]) === json;

const jsonOf = (value: unknown): string => JSON.stringify(value) ?? '';
