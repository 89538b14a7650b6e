import { Braces, FileSpreadsheet, Plus, Upload, X } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/forms/form.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { bytesText } from '../../../values/bytes-text.ts';
import { type Check, type CheckedFile, countFates } from './check-import.ts';
import { DELIMITERS } from './csv-rows.ts';
import type { CsvFacts, FileChoices, JsonFacts } from './import-file.ts';
import { ENCODING_LABELS, type Encoding } from './read-text.ts';
import { count, type Import } from './use-import.ts';

const ACCEPTED = '.json,.ndjson,.jsonl,.csv,.tsv,.tab,.txt,application/json,text/csv,text/plain';

/** Lets people choose files, or paste text. */
export function ChooseFiles({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const [text, setText] = useState('');
  const id = useId();
  const hintId = useId();
  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-4 overflow-y-auto p-4 text-sm sm:py-10">
      <div className="relative grid justify-items-center gap-1 rounded-md border border-dashed border-control-line bg-sunken px-4 py-10 text-center hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-offset-2">
        <Upload size={20} aria-hidden className="mb-2 text-ink-3" />
        <p className="font-medium">Choose files, or drop them here</p>
        <p id={hintId} className="text-ink-3">
          JSON, NDJSON, CSV or TSV. You see a preview of their documents first.
        </p>
        {/* Covers the area, because a native file field can't look like it. */}
        <input
          type="file"
          multiple
          aria-label="Choose files to import"
          aria-describedby={hintId}
          accept={ACCEPTED}
          className="absolute inset-0 size-full cursor-pointer opacity-0"
          onChange={({ target }) => onFiles([...(target.files ?? [])])}
        />
      </div>
      <label htmlFor={id} className="font-medium">
        Or paste text
      </label>
      <textarea
        id={id}
        rows={6}
        value={text}
        placeholder='[{"_id": "milk", "litres": 2}]'
        onChange={(event) => setText(event.target.value)}
        className="w-full rounded-md border border-control-line bg-surface p-2.5 font-mono text-xs placeholder:text-ink-3 max-sm:text-[1rem]"
      />
      <div>
        <Button disabled={text.trim() === ''} onClick={() => onFiles([new File([text], 'Pasted text')])}>
          Preview text
        </Button>
      </div>
    </div>
  );
}

/** Shows the files, with their size and how many of their documents the import writes. */
export function FileTabs({ now, at, onChoose }: { now: Import; at: number; onChoose: (at: number) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const { planned, check, choices } = now;
  return (
    <ul
      aria-label="Files"
      className="flex shrink-0 gap-2 overflow-x-auto border-b border-line bg-sunken px-4 py-3"
    >
      {planned.map(({ file }, index) => {
        const checked = check?.files[index];
        const isChosen = index === at;
        const Icon = checked?.facts.kind === 'csv' ? FileSpreadsheet : Braces;
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be in the list twice
            key={`${file.name} ${index}`}
            className={`flex min-w-54 shrink-0 items-center rounded-lg border bg-surface pr-1 ${isChosen ? 'border-accent shadow-[inset_0_0_0_1px_var(--accent)]' : 'border-line'}`}
          >
            <button
              type="button"
              aria-current={isChosen}
              className="flex min-w-0 flex-1 cursor-pointer items-center gap-2.5 rounded-lg py-1.5 pl-3 text-left"
              onClick={() => onChoose(index)}
            >
              <Icon
                size={16}
                aria-hidden
                className={`shrink-0 ${isChosen ? 'text-accent-ink' : 'text-ink-3'}`}
              />
              <span className="min-w-0">
                <span className="block max-w-64 truncate font-medium" title={file.name}>
                  {file.name}
                </span>
                <span className="block text-xs text-ink-3 tabular-nums">
                  {check === undefined
                    ? bytesText(file.size)
                    : (sizeText(check, index, choices) ?? bytesText(file.size))}
                </span>
              </span>
            </button>
            <IconButton label={`Remove ${file.name}`} onClick={() => now.removeFile(index)}>
              <X size={14} aria-hidden />
            </IconButton>
          </li>
        );
      })}
      <li className="flex min-w-40 flex-1">
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="More files"
          accept={ACCEPTED}
          onChange={({ target }) => {
            now.addFiles([...(target.files ?? [])]);
            target.value = '';
          }}
        />
        <button
          type="button"
          className="flex flex-1 cursor-pointer items-center justify-center gap-2 rounded-lg border border-dashed border-control-line px-3 py-2.5 text-ink-2 hover:text-ink"
          onClick={() => input.current?.click()}
        >
          <Plus size={14} aria-hidden /> Drop or add files
        </button>
      </li>
    </ul>
  );
}

function sizeText(check: Check, at: number, choices: Import['choices']): string | undefined {
  const checked = check.files[at];
  if (checked === undefined) return undefined;
  const { rows, file, facts } = checked;
  const { added, replaced } = countFates(check, choices, at);
  const written = added + replaced;
  const all =
    written === rows
      ? count(rows, 'row', 'rows')
      : `${written.toLocaleString('en')} of ${count(rows, 'row', 'rows')}`;
  const place =
    facts.kind === 'json' && typeof facts.itemsIn === 'object' ? ` in "${facts.itemsIn.field}"` : '';
  return `${all}${place}, ${bytesText(file.size)}`;
}

type Change = (more: FileChoices) => void;

/** Shows how a file is read, and lets people change it. */
export function ReadOptions({ shown, change }: { shown: CheckedFile; change: Change }) {
  const { facts, idField } = shown;
  const fields = shown.fields.map(({ field }) => field).filter((field) => field !== '_id');
  const isId = (field: string) => field === idField && field !== '_id';
  const names = facts.kind === 'csv' ? facts.fields.filter((field) => field !== '_id') : fields;
  const ids = [...new Set([...names, ...(idField === null || !isId(idField) ? [] : [idField])])];
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-1.5 text-sm text-ink-2">
      {facts.kind === 'csv' && <CsvOptions facts={facts} encoding={facts.encoding} change={change} />}
      {facts.kind === 'json' && facts.lists.length > 0 && <JsonPlace facts={facts} change={change} />}
      {facts.kind !== 'csv' && (
        <span>
          {facts.kind === 'json' ? 'JSON' : 'NDJSON'}, {ENCODING_LABELS[facts.encoding]}
        </span>
      )}
      <span className="ml-auto flex items-center gap-2">
        Document id
        <Select
          label="Document id"
          className="max-w-44"
          value={idField === null ? NEW_IDS : JSON.stringify(idField)}
          onChange={({ target }) =>
            change({ idField: target.value === NEW_IDS ? null : (JSON.parse(target.value) as string) })
          }
        >
          <option value={'"_id"'}>_id, or a new id</option>
          {ids.slice(0, IDS_MAX).map((field) => (
            <option key={field} value={JSON.stringify(field)}>
              {field}
            </option>
          ))}
          <option value={NEW_IDS}>New ids</option>
        </Select>
      </span>
      {facts.kind === 'csv' && facts.safeCells > 0 && (
        <Checkbox
          label={`Remove the apostrophe before = + - @ in ${count(facts.safeCells, 'cell', 'cells')} (the file was exported as safe for spreadsheets)`}
          checked={shown.chosen.keepsApostrophes !== true}
          onChange={({ target }) => change({ keepsApostrophes: !target.checked })}
        />
      )}
    </div>
  );
}

/** Not the JSON of a field. */
const NEW_IDS = 'new';
const IDS_MAX = 200;
const WHOLE = 'whole';

type Place = JsonFacts['lists'][number];

/** The value of a place in its menu: the field, which is in a list for an object. */
const valueOfPlace = ({ field, isMap }: Pick<Place, 'field' | 'isMap'>): string =>
  JSON.stringify(isMap ? [field] : field);

function placeOf(value: string): JsonFacts['itemsIn'] {
  if (value === WHOLE) return WHOLE;
  const field = JSON.parse(value) as string | readonly [string];
  return typeof field === 'string' ? { field } : { field: field[0], isMap: true };
}

function JsonPlace({ facts, change }: { facts: JsonFacts; change: Change }) {
  const { itemsIn, lists } = facts;
  return (
    <span className="flex items-center gap-2">
      Rows
      <Select
        label="Rows"
        className="max-w-72"
        value={typeof itemsIn === 'object' ? valueOfPlace(itemsIn) : WHOLE}
        onChange={({ target }) => change({ itemsIn: placeOf(target.value) })}
      >
        {lists.map((place) => (
          <option key={valueOfPlace(place)} value={valueOfPlace(place)}>
            {count(place.items, 'item', 'items')} of "{place.field}"{place.isMap && ', with its names as ids'}
          </option>
        ))}
        <option value={WHOLE}>The whole file as one document</option>
      </Select>
    </span>
  );
}

function CsvOptions({ facts, encoding, change }: { facts: CsvFacts; encoding: Encoding; change: Change }) {
  const [isOpen, setOpen] = useState(false);
  const delimiter = DELIMITERS.find(([one]) => one === facts.delimiter)?.[1] ?? facts.delimiter;
  const header = facts.hasHeader ? 'header in line 1' : 'no header';
  return (
    <>
      <span>
        {delimiter}, {ENCODING_LABELS[encoding]}, {header}
      </span>
      <Button tone="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Change
      </Button>
      {isOpen && (
        <fieldset className="order-last flex w-full flex-wrap items-center gap-x-4 gap-y-2 pb-1">
          <legend className="sr-only">How the file is read</legend>
          <Select
            label="Delimiter"
            value={facts.delimiter}
            onChange={({ target }) => change({ delimiter: target.value })}
          >
            {DELIMITERS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
          <Select
            label="Encoding"
            value={encoding}
            onChange={({ target }) => change({ encoding: target.value as Encoding })}
          >
            {Object.entries(ENCODING_LABELS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
          <Checkbox
            label="First line has the field names"
            checked={facts.hasHeader}
            onChange={({ target }) => change({ hasHeader: target.checked })}
          />
          <Checkbox
            label="Quotes around cells"
            checked={facts.hasQuotes}
            onChange={({ target }) => change({ hasQuotes: target.checked })}
          />
        </fieldset>
      )}
    </>
  );
}
