/** `collection` with the ids of this device. The page of an engine in a worker has no platform. */
import type {
  CollectionDefinition,
  CollectionReferences,
  NoReferences,
} from '../collections/collection-types.ts';
import { type CollectionOptions, defineCollection } from '../collections/define-collection.ts';
import type { InputOf, OutputOf, StandardSchema } from '../collections/standard-schema.ts';
import { DocIds } from '../documents/new-id.ts';
import { systemRandom, systemTime } from '../platform/system.ts';

const ids = /* @__PURE__ */ new DocIds();

/**
 * Defines a collection: documents of one database with a schema. Existing clients see them as
 * ordinary documents, whose ids start with the name of the collection and `/`.
 * @throws FixpointError CONFIG_INVALID
 */
export function collection<S extends StandardSchema, R extends CollectionReferences = NoReferences>(
  name: string,
  options: CollectionOptions<S, R>,
): CollectionDefinition<InputOf<S> & object, OutputOf<S> & object, R> {
  return defineCollection(name, options, () => ids.next(systemTime.now(), systemRandom.bytes(10)));
}
