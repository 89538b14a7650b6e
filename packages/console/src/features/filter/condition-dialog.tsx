import { patternProblem } from 'fixpoint/rows';
import { useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/form.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { typedProblem, typedText, typedValue } from '../../values/typed-value.ts';
import type { KnownPath } from './complete-filter.ts';
import {
  type Chip,
  type Filter,
  filterOfChip,
  isTest,
  isWithoutValue,
  NEGATED_LABELS,
  pathLabel,
  TEST_LABELS,
  type Test,
  TYPE_LABELS,
} from './filter.ts';

export interface ConditionDialogProps {
  readonly known: readonly KnownPath[];
  /** The condition to edit; undefined for a new one. */
  readonly chip: Chip | undefined;
  readonly onClose: () => void;
  readonly onSave: (filter: Filter) => void;
}

/** Asks for one condition that filters the documents of the table. */
export function ConditionDialog({ known, chip, onClose, onSave }: ConditionDialogProps) {
  const choices = pathsOf(known, chip);
  const [path, setPath] = useState(chip?.condition.path ?? choices[0] ?? '_id');
  const [choice, setChoice] = useState(chip === undefined ? 'contains' : choiceOf(chip));
  const [value, setValue] = useState(chip === undefined ? '' : textOf(chip));
  const [problem, setProblem] = useState<string | undefined>();
  const form = useId();
  const { test, isNot } = testOf(choice);
  const save = () => {
    const wrong = problemOf(test, value);
    setProblem(wrong);
    if (wrong !== undefined) return;
    // The text of a value may not say its type, so a value that wasn't changed stays.
    const isSame = chip?.condition.test === test && textOf(chip) === value;
    const operand = isSame ? { ...chip.condition } : operandOf(test, value);
    onSave(filterOfChip({ condition: { ...operand, kind: 'test', path, test }, isNot }));
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Filter"
      description="Shows only documents that meet all conditions."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} tone="primary">
            {chip === undefined ? 'Add condition' : 'Save condition'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Select label="Field" isLabelled value={path} onChange={(event) => setPath(event.target.value)}>
          {choices.map((one) => (
            <option key={one} value={one}>
              {pathLabel(one)}
            </option>
          ))}
        </Select>
        <Select
          label="Condition"
          isLabelled
          value={choice}
          onChange={(event) => setChoice(event.target.value)}
        >
          {CHOICES.map(([one, label]) => (
            <option key={one} value={one}>
              {label}
            </option>
          ))}
        </Select>
        <Operand {...{ test, value, problem }} onChange={setValue} />
      </form>
    </Dialog>
  );
}

interface OperandProps {
  readonly test: Test;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Asks for the value that a condition compares with, if it has one. */
function Operand({ test, value, problem, onChange }: OperandProps) {
  if (isWithoutValue(test)) return null;
  if (test === 'type')
    return (
      <Select label="Type" isLabelled value={typeIn(value)} onChange={({ target }) => onChange(target.value)}>
        {Object.entries(TYPE_LABELS).map(([one, label]) => (
          <option key={one} value={one}>
            {label}
          </option>
        ))}
      </Select>
    );
  return (
    <TextField
      label="Value"
      autoFocus
      autoComplete="off"
      value={value}
      onChange={({ target }) => onChange(target.value)}
      hint={hintOf(test, value)}
      error={problem}
    />
  );
}

/** Returns why a typed value can't be used; undefined if it can. */
function problemOf(test: Test, value: string): string | undefined {
  if (test === 'in' && value.trim() === '') return 'Enter at least one value.';
  if (test === 'equals' || test === 'differs' || isOrder(test)) return typedProblem(value);
  if (test === 'in')
    return partsOf(value)
      .map(typedProblem)
      .find((problem) => problem !== undefined);
  if (test !== 'matches') return undefined;
  if (value === '') return 'Enter a regular expression.';
  const problem = patternProblem(value);
  return problem === undefined ? undefined : `${problem}.`;
}

const NOT = 'not ';
const CHOICES: readonly (readonly [choice: string, label: string])[] = Object.entries(TEST_LABELS).flatMap(
  ([test, label]) => {
    const negated = isTest(test) ? NEGATED_LABELS.get(test) : undefined;
    return negated === undefined
      ? [[test, label] as const]
      : [
          [test, label],
          [NOT + test, negated],
        ];
  },
);

const choiceOf = ({ condition, isNot }: Chip): string => (isNot ? NOT : '') + condition.test;

function testOf(choice: string): { readonly test: Test; readonly isNot: boolean } {
  const isNot = choice.startsWith(NOT);
  const test = isNot ? choice.slice(NOT.length) : choice;
  return { test: isTest(test) ? test : 'equals', isNot };
}

/** Returns the paths to choose from: the known ones, and the one that the condition has. */
function pathsOf(known: readonly KnownPath[], chip: Chip | undefined): readonly string[] {
  const paths = known.map(({ path }) => path);
  const others = paths.filter((path) => path !== '_id');
  const all = [...others, '_id'];
  return chip === undefined || all.includes(chip.condition.path) ? all : [chip.condition.path, ...all];
}

const typeIn = (value: string): string => (Object.hasOwn(TYPE_LABELS, value) ? value : 'string');

function textOf({ condition: { test, value } }: Chip): string {
  if (isWithoutValue(test)) return '';
  if (test === 'in') return Array.isArray(value) ? listText(value) : '';
  if (typeof value === 'string' && test !== 'equals' && test !== 'differs' && !isOrder(test)) return value;
  return typedText(value);
}

const isOrder = (test: Test): boolean => ['greater', 'at-least', 'less', 'at-most'].includes(test);

/** Values with commas or spaces at their ends need the form of JSON. */
function listText(values: readonly unknown[]): string {
  const texts = values.map(typedText);
  const isPlain = texts.every(
    (text, at) => text.trim() === text && text !== '' && !/^\[|,/.test(text) && values[at] !== undefined,
  );
  return isPlain ? texts.join(', ') : JSON.stringify(values);
}

function operandOf(test: Test, text: string): { readonly value?: unknown } {
  switch (test) {
    case 'exists':
    case 'missing':
      return {};
    case 'contains':
    case 'starts':
    case 'matches':
      return { value: text };
    case 'type':
      return { value: typeIn(text) };
    case 'in':
      return { value: listIn(text) };
    default:
      return { value: typedValue(text) };
  }
}

function listIn(text: string): readonly unknown[] {
  const whole = typedValue(text);
  return Array.isArray(whole) ? whole : partsOf(text).map(typedValue);
}

/** Returns the texts of the values of a list: one text for a list that is JSON. */
const partsOf = (text: string): readonly string[] =>
  Array.isArray(typedValue(text)) ? [text] : text.split(',').map((part) => part.trim());

function hintOf(test: Test, value: string): string {
  if (test === 'contains') return 'Ignores upper and lower case. In a list, finds this entry.';
  if (test === 'starts') return 'The beginning of a text, with the same upper and lower case.';
  if (test === 'in') return 'Separate values by commas, or write a JSON list.';
  if (test === 'matches') return 'A regular expression, such as ^v[0-9]+$. Write (?i) first to ignore case.';
  return `Compared as ${kindOf(value)}.`;
}

function kindOf(text: string): string {
  const value = typedValue(text);
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  const kinds: ReadonlyMap<string, string> = new Map([
    ['number', 'a number'],
    ['boolean', 'true or false'],
    ['object', 'an object'],
  ]);
  return kinds.get(typeof value) ?? 'text. To compare a number as text, put it in "quotes"';
}
