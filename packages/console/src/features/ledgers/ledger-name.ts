import { LIMITS } from '@fixpoint/protocol';

/** Returns why a ledger name is invalid, or undefined when it is valid (spec §5). */
export function ledgerNameProblem(name: string): string | undefined {
  if (name === '') return 'Name is required';
  const least = LIMITS.ledgerNameCharsMin;
  return [...name].length < least ? `Name must be at least ${least} characters` : undefined;
}
