import { truncate } from './truncate.ts';

const LABEL_CHARS_MAX = 120;

/** Returns the label of a field. A field name can be empty or very long. */
export const fieldLabel = (field: string): string => {
  if (field === '') return '(empty name)';
  // Spaces alone would be an invisible label.
  return truncate(field.trim() === '' ? JSON.stringify(field) : field, LABEL_CHARS_MAX);
};

export const columnLabel = (field: string): string => (field === '_id' ? 'document id' : fieldLabel(field));
