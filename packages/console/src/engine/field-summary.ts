/** Summarizes the fields of documents, one document after the other: types, values, numbers. */
import type { ValueType } from 'fixpoint';
import { titleOfDocument } from '../values/document-title.ts';
import { pathOf, type Step } from '../values/field-path.ts';
import { typedText } from '../values/typed-value.ts';
import { histogramOf, type NumberRange } from './reduce-rows.ts';

interface SummarizedValue {
  readonly value: unknown;
  /** Number of documents that have the value in the field. */
  readonly documents: number;
}

interface NumberSummary {
  readonly min: number;
  readonly max: number;
  readonly average: number;
  /** Numbers beyond these limits are far from the others; absent if no limits fit. */
  readonly usual: readonly [least: number, greatest: number] | undefined;
  /** Numbers beyond the limits. */
  readonly far: number;
  readonly ranges: readonly NumberRange[];
  /** Whether each range is a multiple of the one before, because the numbers are far apart. */
  readonly isLog: boolean;
  /** Whether limits and ranges are from a sample, because there are too many numbers. */
  readonly isSample: boolean;
}

/** A document, and its value of a type that most documents don't have in the field. */
export interface UnusualValue {
  readonly type: ValueType;
  readonly id: string;
  readonly title: string;
  /** Empty for lists, objects and bytes. */
  readonly text: string;
}

export interface FieldSummary {
  readonly path: string;
  readonly steps: readonly Step[];
  /** Number of documents that have the field. */
  readonly documents: number;
  /** Number of documents that could have it: those with the object that it belongs to. */
  readonly possible: number;
  /** The types of its values, each with the number of documents, the most frequent one first. */
  readonly types: readonly { readonly type: ValueType; readonly documents: number }[];
  /** Number of different values. */
  readonly distinct: number;
  /** Whether there are more different values than were counted. */
  readonly isMore: boolean;
  /** All values, if there are few: the most frequent one first. */
  readonly values: readonly SummarizedValue[] | undefined;
  readonly examples: readonly unknown[];
  /** The first documents of each type but the most frequent one. */
  readonly unusual: readonly UnusualValue[];
  /** Whether all texts are days or times, such as `2026-11-20`. */
  readonly areDates: boolean;
  readonly numbers: NumberSummary | undefined;
}

export interface DocumentsSummary {
  /** Number of documents read so far. */
  readonly documents: number;
  readonly fields: readonly FieldSummary[];
  /** Whether there are more fields than are summarized. */
  readonly isCut: boolean;
}

const FIELDS_MAX = 2000;
const DEPTH_MAX = 8;
/** Sets of at most this many values are listed. */
const VALUES_MAX = 30;
/** Different values are counted up to this number. */
const DISTINCT_MAX = 20_000;
const EXAMPLES = 3;
const EXAMPLE_CHARS_MAX = 80;
/** All numbers of a field are kept up to this number, then a sample of as many. */
const NUMBERS_MAX = 200_000;
/** Values with fewer numbers have no usual range. */
const NUMBERS_MIN = 20;
/** From this ratio of the largest to the smallest number on, ranges are logarithmic. */
const LOG_RATIO = 10_000;
/** Documents to name for each type of a field. */
const NAMED = 3;
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;
const DATE_CHARS_MAX = 40;
/** Numbers this many times the middle half beyond it are far from the others. */
const FAR_FACTOR = 3;
/** If more than this share is far, the values are just widely spread. */
const FAR_SHARE_MAX = 0.02;

interface Node {
  readonly steps: readonly Step[];
  readonly above: Node | undefined;
  /** The last document that was counted, because an entry of a list may repeat. */
  last: number;
  documents: number;
  readonly types: Map<ValueType, { last: number; documents: number; readonly named: UnusualValue[] }>;
  readonly values: Map<string, { readonly value: unknown; last: number; documents: number }>;
  readonly hashes: Set<number>;
  readonly examples: Map<string, unknown>;
  areDates: boolean;
  readonly numbers: number[];
  numbersSeen: number;
  sum: number;
  min: number;
  max: number;
  readonly fields: Map<string, Node>;
  entries: Node | undefined;
}

/** Collects the summary of documents. `random` returns numbers from 0 up to 1. */
export class DocumentsSummarizer {
  private readonly root = newNode([], undefined);
  private documents = 0;
  private nodes = 0;
  private document: Readonly<Record<string, unknown>> = {};
  /** The title of the document; undefined until it is needed. */
  private title: string | undefined;
  private readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  add(doc: object): void {
    this.documents += 1;
    this.document = doc as Readonly<Record<string, unknown>>;
    this.title = undefined;
    this.addFields(this.root, doc);
  }

  summary(): DocumentsSummary {
    const fields: FieldSummary[] = [];
    const visit = (node: Node): void => {
      if (node !== this.root) fields.push(this.summaryOf(node));
      if (node.entries !== undefined) visit(node.entries);
      const inner = [...node.fields.values()].sort((a, b) => b.documents - a.documents);
      for (const one of inner) visit(one);
    };
    visit(this.root);
    return { documents: this.documents, fields, isCut: this.nodes >= FIELDS_MAX };
  }

  private addFields(node: Node, object: object): void {
    for (const [name, value] of Object.entries(object)) {
      if (value === undefined) continue;
      const field = this.fieldOf(node, name);
      if (field !== undefined) this.addValue(field, value);
    }
  }

  private fieldOf(node: Node, name: string): Node | undefined {
    const known = node.fields.get(name);
    if (known !== undefined || this.nodes >= FIELDS_MAX || node.steps.length >= DEPTH_MAX) return known;
    this.nodes += 1;
    const field = newNode([...node.steps, { name, isEach: false }], node);
    node.fields.set(name, field);
    return field;
  }

  private addValue(node: Node, value: unknown): void {
    if (node.last !== this.documents) node.documents += 1;
    node.last = this.documents;
    const type = typeOf(value);
    const known = node.types.get(type) ?? { last: 0, documents: 0, named: [] };
    node.types.set(type, known);
    if (known.last !== this.documents) {
      known.documents += 1;
      if (known.named.length < NAMED) known.named.push(this.unusualOf(type, value));
    }
    known.last = this.documents;
    if (type === 'string') node.areDates &&= isDate(value as string);
    if (type === 'number') this.addNumber(node, Number(value));
    this.addDistinct(node, value, type);
    if (type === 'object') this.addFields(node, value as object);
    if (type === 'array') this.addEntries(node, value as readonly unknown[]);
  }

  private unusualOf(type: ValueType, value: unknown): UnusualValue {
    const doc = this.document;
    const id = String(Object.hasOwn(doc, '_id') ? doc['_id'] : '');
    this.title ??= titleOfDocument(id, doc);
    const isShort = type !== 'array' && type !== 'object' && type !== 'bytes';
    return { type, id, title: this.title, text: isShort ? typedText(exampleOf(value)) : '' };
  }

  private addEntries(node: Node, list: readonly unknown[]): void {
    if (node.entries === undefined) {
      if (this.nodes >= FIELDS_MAX) return;
      const above = node.steps.at(-1);
      // A path can't lead through a list in a list.
      if (above === undefined || above.isEach) return;
      this.nodes += 1;
      node.entries = newNode([...node.steps.slice(0, -1), { name: above.name, isEach: true }], node);
    }
    for (const entry of list) this.addValue(node.entries, entry);
  }

  private addNumber(node: Node, number: number): void {
    if (Number.isNaN(number)) return;
    node.numbersSeen += 1;
    node.sum += number;
    node.min = Math.min(node.min, number);
    node.max = Math.max(node.max, number);
    if (node.numbers.length < NUMBERS_MAX) node.numbers.push(number);
    else {
      const at = Math.floor(this.random() * node.numbersSeen);
      if (at < NUMBERS_MAX) node.numbers[at] = number;
    }
  }

  private addDistinct(node: Node, value: unknown, type: ValueType): void {
    if (type === 'array' || type === 'object' || type === 'bytes') return;
    const text = type === 'string' ? `"${value as string}` : String(value);
    const known = node.values.get(text);
    if (known !== undefined) {
      if (known.last !== this.documents) known.documents += 1;
      known.last = this.documents;
    } else if (node.values.size <= VALUES_MAX)
      node.values.set(text, { value, last: this.documents, documents: 1 });
    if (node.hashes.size <= DISTINCT_MAX) node.hashes.add(hashOf(text));
    if (node.examples.size < EXAMPLES) node.examples.set(text, exampleOf(value));
  }

  private summaryOf(node: Node): FieldSummary {
    const isMore = node.hashes.size > DISTINCT_MAX;
    const values = [...node.values.values()].sort((a, b) => b.documents - a.documents);
    const types = [...node.types].sort(([, a], [, b]) => b.documents - a.documents);
    const [, ...unusual] = types;
    return {
      path: pathOf(node.steps),
      steps: node.steps,
      documents: node.documents,
      possible: node.above === this.root ? this.documents : (node.above?.types.get('object')?.documents ?? 0),
      types: types.map(([type, { documents }]) => ({ type, documents })),
      distinct: isMore ? DISTINCT_MAX : node.hashes.size,
      isMore,
      values:
        values.length > VALUES_MAX ? undefined : values.map(({ value, documents }) => ({ value, documents })),
      examples: [...node.examples.values()],
      unusual: unusual.flatMap(([, { named }]) => named),
      areDates: node.areDates && node.types.has('string'),
      numbers: node.numbersSeen === 0 ? undefined : numbersOf(node),
    };
  }
}

const isDate = (text: string): boolean => text.length <= DATE_CHARS_MAX && DATE.test(text);

const exampleOf = (value: unknown): unknown =>
  typeof value === 'string' && value.length > EXAMPLE_CHARS_MAX
    ? `${value.slice(0, EXAMPLE_CHARS_MAX)}…`
    : value;

const newNode = (steps: readonly Step[], above: Node | undefined): Node => ({
  steps,
  above,
  last: 0,
  documents: 0,
  types: new Map(),
  values: new Map(),
  hashes: new Set(),
  examples: new Map(),
  areDates: true,
  numbers: [],
  numbersSeen: 0,
  sum: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  fields: new Map(),
  entries: undefined,
});

function typeOf(value: unknown): ValueType {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value !== 'object') return 'number';
  if (Array.isArray(value)) return 'array';
  return value instanceof Uint8Array ? 'bytes' : 'object';
}

function numbersOf({ numbers, numbersSeen, sum, min, max }: Node): NumberSummary {
  const finite = numbers.filter(Number.isFinite);
  const usual = usualOf(finite);
  const far = usual === undefined ? 0 : finite.filter((one) => one < usual[0] || one > usual[1]).length;
  const isLog = min > 0 && max / min >= LOG_RATIO && Number.isFinite(max);
  const isFew = far <= FAR_SHARE_MAX * finite.length;
  return {
    min,
    max,
    average: sum / numbersSeen,
    usual: isFew ? usual : undefined,
    far: isFew ? far : 0,
    ranges: isLog ? logRangesOf(finite) : histogramOf(finite),
    isLog,
    isSample: numbersSeen > numbers.length,
  };
}

/** Counts positive numbers in ranges of the same size on a logarithmic scale. */
const logRangesOf = (numbers: readonly number[]): readonly NumberRange[] =>
  histogramOf(numbers.map(Math.log10)).map(({ from, to, count }) => ({
    from: Number((10 ** from).toPrecision(3)),
    to: Number((10 ** to).toPrecision(3)),
    count,
  }));

function usualOf(numbers: readonly number[]): readonly [number, number] | undefined {
  if (numbers.length < NUMBERS_MIN) return undefined;
  const sorted = Float64Array.from(numbers).sort();
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] as number;
  const [low, high] = [at(0.25), at(0.75)];
  const reach = FAR_FACTOR * (high - low);
  return reach === 0 ? undefined : [low - reach, high + reach];
}

/** Returns a hash of 53 bits. Two of 20,000 texts share one with a chance below 1 in 10 million. */
function hashOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
