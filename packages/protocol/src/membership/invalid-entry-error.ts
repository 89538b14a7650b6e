import { FixpointError } from '../errors.ts';
import type { FormRule } from './entry.ts';

/** Bytes that aren't a valid entry. Devices ignore them as if they had never arrived. */
export class InvalidEntryError extends FixpointError {
  /** The rule of docs/internals/membership-rules.md that the entry breaks. */
  readonly rule: FormRule;

  constructor(rule: FormRule, detail: string) {
    super('CORRUPT', `entry of the membership log, ${rule}: ${detail}`);
    this.rule = rule;
  }
}
