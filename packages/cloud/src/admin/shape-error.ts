import { FixpointError } from '@fixpoint/protocol';
import type * as z from 'zod/mini';

/** What the schema library says where we say nothing. */
const GENERIC = 'Invalid input';

/** A request whose shape is wrong. The answer names the field by its path, such as `ticket.query.byEmail`. */
export class ShapeError extends FixpointError {
  readonly path: string;

  constructor({ issues: [issue] }: Pick<z.core.$ZodError, 'issues'>) {
    const path = issue?.path.join('.') ?? '';
    const why = issue?.message ?? 'shape';
    // Texts of ours name the field already; people read them in forms.
    super('REQUEST_INVALID', path !== '' && why === GENERIC ? `${path}: ${why}` : why);
    this.path = path;
  }
}
