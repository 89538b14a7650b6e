import { Select } from '../../../ui/forms/select.tsx';
import { parseTyped, type TypedText, typedAs, VALUE_KINDS, type ValueKind } from './field-value.ts';

export interface ValueInputProps {
  /** Accessible name of the input for the value. */
  readonly label: string;
  readonly typed: TypedText;
  readonly onTyped: (typed: TypedText) => void;
  /** Kinds to choose from. */
  readonly kinds: readonly ValueKind[];
  readonly autoFocus?: boolean;
}

const FIELD =
  'h-(--control) min-w-0 rounded-md border border-control-line bg-surface px-2 text-sm -outline-offset-1 aria-invalid:border-conflict max-sm:text-[1rem]';

/** Asks for a value and its kind. */
export function ValueInput({ label, typed, onTyped, kinds, autoFocus = false }: ValueInputProps) {
  const { kind, text } = typed;
  const { problem } = parseTyped(typed);
  return (
    <>
      <Select
        label={`Type of ${label}`}
        value={kind}
        className="w-32 shrink-0 max-sm:grow"
        onChange={(event) => onTyped(typedAs(typed, event.target.value as ValueKind))}
      >
        {kinds.map((one) => (
          <option key={one} value={one}>
            {VALUE_KINDS[one]}
          </option>
        ))}
      </Select>
      {kind === 'boolean' ? (
        <Select
          label={label}
          autoFocus={autoFocus}
          value={text === 'true' ? 'true' : 'false'}
          className="grow"
          onChange={(event) => onTyped({ kind, text: event.target.value })}
        >
          <option value="true">true</option>
          <option value="false">false</option>
        </Select>
      ) : (
        <input
          aria-label={label}
          aria-invalid={problem !== undefined}
          title={problem}
          // biome-ignore lint/a11y/noAutofocus: the user opened it to enter this value
          autoFocus={autoFocus}
          autoComplete="off"
          spellCheck={false}
          inputMode={kind === 'number' ? 'decimal' : undefined}
          readOnly={kind === 'null' || kind === 'none'}
          value={kind === 'null' ? 'null' : kind === 'none' ? '' : text}
          className={`${FIELD} grow read-only:bg-hover read-only:text-ink-3 ${kind === 'json' ? 'font-mono text-xs' : ''}`}
          onFocus={(event) => event.target.select()}
          onChange={(event) => onTyped({ kind, text: event.target.value })}
        />
      )}
    </>
  );
}
