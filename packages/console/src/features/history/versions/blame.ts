/** Finds out which version of a document gave each field its value. */
import type { DocumentVersion } from 'fixpoint';
import type { Before } from '../latest-changes.ts';

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

/** A version, and the document that its write was based on; undefined if that isn't read yet. */
export interface BlameStep {
  readonly version: DocumentVersion;
  readonly before: Before | undefined;
}

/**
 * Returns the steps of versions that were all written one after the other. Each was based on the
 * one listed after it.
 * @param versions newest first, without a gap
 * @param isAll whether there are no older versions
 */
export const linearSteps = (versions: readonly DocumentVersion[], isAll: boolean): readonly BlameStep[] =>
  versions.map((version, at) => {
    const older = versions[at + 1];
    if (version.isHorizon === true || older?.isDropped === true)
      return { version, before: { lost: 'not kept' } };
    if (older === undefined && !isAll) return { version, before: undefined };
    return { version, before: { ...(older?.value && { value: older.value }) } };
  });

/**
 * Returns the version that set each field of a document to its value: the newest one that has this
 * value and was based on another. Versions listed before the current one lost against it, and
 * aren't blamed.
 * @param doc the current document; undefined if it was deleted
 * @param steps newest first, without a gap
 */
export function blameOf(doc: object | undefined, steps: readonly BlameStep[]): Blamed {
  const fields = new Map<string, Blame>();
  const wanted = new Map<string, string>();
  for (const [name, value] of Object.entries(doc ?? {})) if (name !== '_id') wanted.set(name, jsonOf(value));
  const blame = (name: string, version: DocumentVersion, isExact: boolean) => {
    fields.set(name, { version, isExact });
    wanted.delete(name);
  };
  const current = steps.findIndex(({ version }) => jsonOf(version.value) === jsonOf(doc));
  for (const { version, before } of steps.slice(Math.max(0, current))) {
    if (before === undefined || wanted.size === 0) break;
    for (const [name, json] of [...wanted])
      if (before.lost !== undefined) blame(name, version, false);
      else if (hasValue(version.value, name, json) && !hasValue(before.value, name, json))
        blame(name, version, true);
  }
  return { fields, isComplete: wanted.size === 0 };
}

const hasValue = (doc: object | undefined, name: string, json: string): boolean =>
  doc !== undefined &&
  Object.hasOwn(doc, name) &&
  jsonOf((doc as Readonly<Record<string, unknown>>)[name]) === json;

const jsonOf = (value: unknown): string => JSON.stringify(value) ?? '';
