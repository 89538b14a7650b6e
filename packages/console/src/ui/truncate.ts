/** The first `most` characters and an ellipsis; a name that has no more stays as it is. The full name goes into the title. */
export function truncate(name: string, most: number): string {
  const characters = [...name];
  return characters.length <= most ? name : `${characters.slice(0, most).join('')}…`;
}
