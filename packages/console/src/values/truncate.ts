/**
 * Returns the first `most` characters and an ellipsis, or a shorter name unchanged. Callers put the
 * full name into the `title` attribute.
 */
export function truncate(name: string, most: number): string {
  const characters = [...name];
  return characters.length <= most ? name : `${characters.slice(0, most).join('')}…`;
}
