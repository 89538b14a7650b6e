/** Finds a field in a JSON text. */
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { pathInParameter } from '../../values/field-parameter.ts';

/**
 * Returns where the value of a field begins; undefined if the text has no such field.
 * @param field as in an address
 */
export function fieldOffset(text: string, field: string): number | undefined {
  const root = parseTree(text);
  return root && findNodeAtLocation(root, [...pathInParameter(field)])?.offset;
}
