/** Shows values of a field in a merge. */
import { toPlain } from '../../../values/plain-json.ts';
import { truncate } from '../../../values/truncate.ts';
import { textParts } from '../choices/both-edits.ts';

const CHARS_MAX = 4000;

/** Returns a value as text: texts without quotes, numbers by thousands, others as JSON. */
export function valueText(value: unknown, indent?: number): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : truncate(value, CHARS_MAX);
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 20 });
  return truncate(JSON.stringify(toPlain(value), undefined, indent) ?? String(value), CHARS_MAX);
}

/** Returns the type of a value; `text` is also a type, so that "1" and 1 differ. */
export function typeName(value: unknown): string {
  if (value === undefined) return 'no field';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  const names: Readonly<Record<string, string>> = {
    string: 'text',
    number: 'number',
    bigint: 'number',
    boolean: 'true or false',
  };
  return names[typeof value] ?? 'object';
}

/** Shows a value, and for texts what changed since the common base. */
export function ValueText({ was, value }: { was: unknown; value: unknown }) {
  if (value === undefined)
    return <span className="text-ink-3">{was === undefined ? '(no field)' : 'Removed'}</span>;
  if (typeof value === 'string' && typeof was === 'string' && was !== '' && value !== '')
    return (
      <span dir="auto" className="wrap-anywhere whitespace-pre-wrap">
        <Marked was={was} now={value} />
      </span>
    );
  const isPlain = typeof value === 'string' || typeof value === 'number';
  return (
    <span
      dir={typeof value === 'string' ? 'auto' : undefined}
      className={`wrap-anywhere whitespace-pre-wrap tabular-nums ${isPlain ? '' : 'font-mono text-xs'}`}
    >
      {valueText(value, 2)}
    </span>
  );
}

/** A text of which no word is left is shown without marks, which would only repeat it. */
function Marked({ was, now }: { was: string; now: string }) {
  const parts = textParts(was, now);
  if (!parts.some(({ kind, text }) => kind === 'same' && text.trim() !== '')) return truncate(now, CHARS_MAX);
  return parts.map(({ text, kind }, at) => {
    if (kind === 'removed')
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other key
        <del key={at} className="text-ink-3">
          {text}
        </del>
      );
    return kind === 'same' ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other key
      <ins key={at} className="ml-0.5 rounded-xs bg-history-soft px-1 text-history no-underline">
        {text}
      </ins>
    );
  });
}
