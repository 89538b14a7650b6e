/** Encodes a field of a document in an address. */

export type FieldPath = readonly (string | number)[];

/** Returns the value of the address parameter `field`: the name of a field, or a path as JSON. */
export function fieldParameter(path: FieldPath): string {
  const [name] = path;
  return path.length === 1 && typeof name === 'string' && !name.startsWith('[') ? name : JSON.stringify(path);
}

export function pathInParameter(value: string): FieldPath {
  if (!value.startsWith('[')) return [value];
  try {
    const path: unknown = JSON.parse(value);
    return Array.isArray(path) && path.every((part) => typeof part === 'string' || typeof part === 'number')
      ? (path as FieldPath)
      : [value];
  } catch {
    return [value];
  }
}
