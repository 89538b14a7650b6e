/** Reads the values of a request: its id, its query and its conditions. */
import type { IncomingMessage } from 'node:http';
import { FixpointError } from '@fixpoint/protocol';
import type { Condition } from '../served/operations.ts';
import type { Route } from './routes.ts';

const refusal = (detail: string, cause?: unknown) => new FixpointError('REQUEST_INVALID', detail, { cause });

/** Values of the query by name. */
export type Query = ReadonlyMap<string, string>;

/**
 * Returns the query of a request.
 * @throws FixpointError REQUEST_INVALID for a parameter that the route doesn't have, or that occurs
 * twice
 */
export function queryOf({ parameters = [] }: Route, search: string): Query {
  const found = new Map<string, string>();
  const known = new Set(parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name));
  for (const [name, value] of new URLSearchParams(search)) {
    if (!known.has(name)) throw refusal(`${name} is not a parameter of this request`);
    if (found.has(name)) throw refusal(`${name} occurs more than once`);
    found.set(name, value);
  }
  return found;
}

/** Returns the number in the parameter `limit`, which is checked later. */
export function limitIn(query: Query): number | undefined {
  const text = query.get('limit');
  return text === undefined ? undefined : /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

/** @throws FixpointError REQUEST_INVALID */
export function decodedId(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw refusal('the id in the path is not percent-encoded correctly', cause);
  }
}

const TAG = /^\s*((?:W\/)?"[^"]*")\s*(?:,|$)/;

/** Returns the entity tags of a header; undefined if the header is absent. */
function tagsOf(header: string | undefined, name: string): readonly string[] | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return ['*'];
  const tags: string[] = [];
  for (let rest = header; rest.trim() !== ''; ) {
    const [whole = '', tag] = TAG.exec(rest) ?? [];
    if (tag === undefined) throw refusal(`${name} is not a list of entity tags`);
    tags.push(tag);
    rest = rest.slice(whole.length);
  }
  return tags;
}

/**
 * Returns the condition of a write.
 * @throws FixpointError REQUEST_INVALID
 */
export function conditionOf({ headers }: IncomingMessage): Condition {
  const none = tagsOf(headers['if-none-match'], 'If-None-Match');
  if (none !== undefined && !(none.length === 1 && none[0] === '*'))
    throw refusal('If-None-Match of a write must be *');
  return { ifMatch: tagsOf(headers['if-match'], 'If-Match'), ifAbsent: none !== undefined };
}

/** Returns whether the client already has the document with this tag. */
export function isKnown({ headers }: IncomingMessage, tag: string): boolean {
  const known = tagsOf(headers['if-none-match'], 'If-None-Match') ?? [];
  return known.some((one) => one === '*' || one.replace(/^W\//, '') === tag);
}
