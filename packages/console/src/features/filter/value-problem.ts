import { isWithoutValue, type Test } from './filter.ts';

/** Returns why a typed value can't be used; undefined if it can. */
export function problemOf(test: Test, value: string): string | undefined {
  if (isWithoutValue(test) || test === 'type') return undefined;
  if (test === 'in' && value.trim() === '') return 'Enter at least one value.';
  if (test !== 'matches') return undefined;
  if (value === '') return 'Enter a regular expression.';
  const source = value.replace(/^\(\?i\)/, '');
  if (/\\[1-9k]|\(\?(?:<?[=!])/.test(source.replace(/\\\\/g, '')))
    return 'Backreferences and look-around are not supported.';
  try {
    new RegExp(source, 'u');
    return undefined;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}.`;
  }
}
