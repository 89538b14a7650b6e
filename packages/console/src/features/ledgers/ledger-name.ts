import { LIMITS } from '@fixpoint/protocol';

/** Why a name is none for a ledger, or undefined (spec §5). */
export function ledgerNameProblem(name: string): string | undefined {
  if (name === '') return 'Name is required';
  const least = LIMITS.ledgerNameCharsMin;
  return [...name].length < least ? `Name must be at least ${least} characters` : undefined;
}
