import { truncate } from './truncate.ts';

const LABEL_CHARS_MAX = 120;

/** Returns the label of a field. A field name can be empty or very long. */
export const fieldLabel = (field: string): string =>
  field === '' ? '(empty name)' : truncate(field, LABEL_CHARS_MAX);

export const columnLabel = (field: string): string => (field === '_id' ? 'document id' : fieldLabel(field));
