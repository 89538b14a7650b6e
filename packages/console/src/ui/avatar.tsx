import { UserRound } from 'lucide-react';

/** Shows the initials of a person's name, or a generic icon if the name is unknown. */
export function Avatar({ name, isSmall = false }: { name: string | undefined; isSmall?: boolean }) {
  return (
    <span
      aria-hidden
      // Drawn by CSS, because the initials must not count as text of the surrounding element.
      data-initials={name === undefined ? undefined : initialsOf(name)}
      className={`avatar-${name === undefined ? 'none' : colourOf(name)} grid ${isSmall ? 'size-4 text-[0.5rem]' : 'size-6 text-[0.625rem]'} shrink-0 place-items-center rounded-full leading-none font-semibold select-none data-initials:before:content-[attr(data-initials)]`}
    >
      {name === undefined && <UserRound size={14} />}
    </span>
  );
}

const COLOURS = 5;

/** Returns the number of the person's colour, which is the same on all pages. */
export function colourOf(name: string): number {
  let hash = 0;
  for (const character of name.trim()) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return hash % COLOURS;
}

/** Returns the initials of the first and the last word. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const first = firstOf(words[0]);
  return (words.length > 1 ? first + firstOf(words.at(-1)) : first).toUpperCase();
}

const firstOf = (word: string | undefined): string => [...(word ?? '')][0] ?? '?';
