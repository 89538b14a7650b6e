import { ArrowUpRight, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { Link } from 'react-router';
import { documentPath } from '../../../local/document-path.ts';
import { lostNumber, lostText } from '../../../values/json-losses.ts';
import { shortId } from '../../../values/shown-id.ts';
import { type DateText, dateIn } from './date-text.ts';
import { keyOfPath, pathLabel, useFields } from './field-edits.ts';
import { type FieldKind, type FieldNode, JSON_NUMBER } from './json-tree.ts';

export const KIND_LABELS: Readonly<Record<FieldKind, string>> = {
  text: 'Text',
  number: 'Number',
  boolean: 'True or false',
  null: 'Null',
  list: 'List',
  object: 'Object',
};

const INPUT =
  'h-(--control) w-full min-w-0 rounded-md border border-control-line bg-surface px-2 text-sm -outline-offset-1 read-only:bg-hover read-only:text-ink-3 aria-invalid:border-conflict max-sm:text-[1rem] tiny:text-sm';
/** Longer texts, and texts of several lines, get a bigger input. */
const LINE_CHARS = 80;

interface ControlProps {
  readonly node: FieldNode;
  readonly hasFocus?: boolean;
}

/** Renders the input for a value that isn't a list or an object. */
export function ValueControl({ node, hasFocus = false }: ControlProps) {
  const shared = { node, hasFocus };
  if (node.kind === 'number') return <NumberControl {...shared} />;
  if (node.kind === 'boolean') return <BooleanControl {...shared} />;
  if (node.kind === 'null') return <NullControl {...shared} />;
  const date = dateIn(node.text);
  return date === undefined ? <TextControl {...shared} /> : <DateControl {...shared} date={date} />;
}

/** Returns the attributes that all inputs share. */
function useInput({ node, hasFocus }: ControlProps) {
  const { canWrite } = useFields();
  return {
    'aria-label': pathLabel(node.path),
    'data-field': keyOfPath(node.path),
    autoFocus: hasFocus === true,
    autoComplete: 'off',
    readOnly: !canWrite,
  };
}

function TextControl({ node, hasFocus = false }: ControlProps) {
  const { edits } = useFields();
  const shared = useInput({ node, hasFocus });
  const { text, path } = node;
  // The kind of input stays while the user types, so that the focus isn't lost. Only a text that
  // gets a line end needs another one: an input of one line would remove it.
  const [isLong, setLong] = useState(text.length > LINE_CHARS);
  const hasLines = /[\r\n]/.test(text);
  if (hasLines && !isLong) setLong(true);
  return isLong ? (
    <textarea
      {...shared}
      dir="auto"
      rows={Math.min(12, Math.max(3, text.split('\n').length))}
      className={`${INPUT} h-auto py-1.5`}
      value={text}
      onChange={({ target }) => edits.setText(path, target.value)}
    />
  ) : (
    <input
      {...shared}
      dir="auto"
      className={INPUT}
      value={text}
      onChange={({ target }) => edits.setText(path, target.value)}
    />
  );
}

function NullControl(props: ControlProps) {
  return <input {...useInput(props)} className={INPUT} readOnly value="null" />;
}

/** Keeps the typed digits. An unfinished number stays in the input, and isn't part of the draft. */
function NumberControl({ node, hasFocus = false }: ControlProps) {
  const { edits } = useFields();
  const shared = useInput({ node, hasFocus });
  const [typed, setTyped] = useState(node.text);
  const isValid = JSON_NUMBER.test(typed);
  const lost = isValid ? lostNumber(typed) : undefined;
  const problem = useId();
  useEffect(
    () => setTyped((now) => (Number(now) === Number(node.text) && now !== '' ? now : node.text)),
    [node.text],
  );
  return (
    <span className="flex min-w-0 grow flex-wrap items-center gap-x-2 gap-y-1">
      <input
        {...shared}
        inputMode="decimal"
        aria-invalid={!isValid || lost !== undefined}
        aria-describedby={problem}
        className={`${INPUT} max-w-60 text-right tabular-nums`}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          if (JSON_NUMBER.test(target.value)) edits.setJson(node.path, target.value);
        }}
      />
      <span id={problem} role="status" className="min-w-0 text-xs text-conflict empty:hidden">
        {!isValid && 'This isn’t a number.'}
        {lost !== undefined && lostText(lost, 'Change the type to text to keep all digits.')}
      </span>
    </span>
  );
}

/** Says that a number loses digits; renders nothing for other values. */
export function LostDigits({ node: { kind, text } }: { node: FieldNode }) {
  const lost = kind === 'number' ? lostNumber(text) : undefined;
  if (lost === undefined) return null;
  return (
    <span
      className="flex min-w-0 items-center gap-1 text-xs text-conflict"
      title={lostText(lost, 'Change the type to text to keep all digits.')}
    >
      <TriangleAlert size={13} aria-hidden className="shrink-0" />
      <span className="truncate">{lost.kept === undefined ? 'too large' : `would become ${lost.kept}`}</span>
    </span>
  );
}

function BooleanControl({ node, hasFocus = false }: ControlProps) {
  const { edits, canWrite } = useFields();
  const { readOnly: _, autoComplete: __, ...shared } = useInput({ node, hasFocus });
  return (
    <label className="flex h-(--control) cursor-pointer items-center gap-2 text-sm">
      <input
        {...shared}
        type="checkbox"
        disabled={!canWrite}
        className="size-4 cursor-pointer accent-accent"
        checked={node.text === 'true'}
        onChange={({ target }) => edits.setJson(node.path, String(target.checked))}
      />
      <span aria-hidden>{node.text}</span>
    </label>
  );
}

function DateControl({ node, hasFocus = false, date }: ControlProps & { date: DateText }) {
  const { edits } = useFields();
  const shared = useInput({ node, hasFocus });
  return (
    <span className="flex min-w-0 grow flex-wrap items-center gap-x-2 gap-y-1">
      <input
        {...shared}
        type={date.type}
        step={date.type === 'date' ? undefined : 'any'}
        className={`${INPUT} max-w-60`}
        value={date.value}
        // An emptied date stays as it is: the text would no longer be a date.
        onChange={({ target }) => target.value !== '' && edits.setText(node.path, date.textOf(target.value))}
      />
      {date.isUtc && <span className="text-xs text-ink-3">UTC</span>}
    </span>
  );
}

/** Leads to the document whose id this value is; renders nothing for other values. */
export function DocumentLink({ node, children }: { node: FieldNode; children?: ReactNode }) {
  const { linked, basePath } = useFields();
  if (node.kind !== 'text' || !linked.has(node.text)) return null;
  return (
    <Link
      to={documentPath(basePath, node.text)}
      aria-label={`Open document ${shortId(node.text)}`}
      title={`Open document ${shortId(node.text)}`}
      className="inline-flex shrink-0 items-center gap-1 rounded px-1 text-sm text-accent-ink hover:underline"
    >
      {children ?? 'Open'} <ArrowUpRight size={13} aria-hidden />
    </Link>
  );
}
