/** What was typed in a field of a short form, for when its user is signed in again: nobody chose to leave where a session ended by itself. */
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { isLedToLogin } from './led-to-login.ts';

const keyOf = (path: string, field: string): string => `fixpoint:field:${JSON.stringify([path, field])}`;

/**
 * As `useState` of a text that is not typed yet. No field for a secret may use it.
 * @param field tells it from the others of its page
 */
export function useKeptField(
  field: string,
): readonly [string | undefined, Dispatch<SetStateAction<string | undefined>>] {
  const key = keyOf(useLocation().pathname, field);
  const [text, setText] = useState(() => read(key));
  const latest = useRef(text);
  latest.current = text;
  useEffect(() => {
    write(key, undefined);
    return () => {
      if (isLedToLogin(location)) write(key, latest.current);
    };
  }, [key]);
  return [text, setText];
}

function read(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined forgets it. A browser that keeps nothing only loses the comfort. */
function write(key: string, text: string | undefined): void {
  try {
    if (text === undefined || text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // It has to be typed again.
  }
}
