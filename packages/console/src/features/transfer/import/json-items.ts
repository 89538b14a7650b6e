/**
 * Splits JSON text into the texts of its items without keeping the whole text. The items are parsed
 * elsewhere, so this reads only brackets, quotes, commas and line ends.
 */

export interface Place {
  /** Counted from 1, as in editors. */
  readonly line: number;
  readonly column: number;
}

export interface JsonItem extends Place {
  readonly text: string;
  /** The name of the item, if the items are the values of an object. */
  readonly key?: string;
}

/** A fault of the text around the items. */
export interface JsonFault extends Place {
  readonly why: string;
}

/** A field of the outermost object that contains a list. */
interface JsonList {
  field: string;
  items: number;
  /** Whether the first item is an object. */
  hasObjects: boolean;
}

/** A field of the outermost object that contains an object. */
interface JsonMap {
  field: string;
  items: number;
  /** How many of its values are objects. */
  objects: number;
}

/**
 * Which values are the items: those of the outermost list, those of the list or the object in this
 * field of the outermost object, or the outermost value itself.
 */
export type ItemsIn = 'list' | 'whole' | { readonly field: string; readonly isMap?: true };

const [QUOTE, BACKSLASH, NEWLINE, COMMA, COLON] = [34, 92, 10, 44, 58];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [91, 93, 123, 125];
const isSpace = (code: number): boolean => code === 32 || code === NEWLINE || code === 13 || code === 9;

/** Splits one JSON text, which arrives in pieces. */
export class JsonItems {
  readonly faults: JsonFault[] = [];
  /** Lists in fields of the outermost object, found so far. */
  readonly lists: JsonList[] = [];
  /** Objects in fields of the outermost object, found so far. */
  readonly maps: JsonMap[] = [];
  /** Whether another value follows the outermost one, as in files with one value per line. */
  isSequence = false;
  readonly #itemsIn: ItemsIn;
  /** Closing brackets that are due, and where their opening brackets are. */
  readonly #open: { readonly close: number; readonly place: Place }[] = [];
  #line = 1;
  /** Characters of the current line in earlier pieces. */
  #columnBefore = 0;
  #lineStart = 0;
  #inText = false;
  #isEscaped = false;
  #textPlace: Place = { line: 1, column: 1 };
  #isOver = false;
  #isBroken = false;
  /** The item being read: its text in earlier pieces, and its start in this one. */
  #item: { before: string; from: number; readonly place: Place; readonly name: Named } | undefined;
  /** The field of the outermost object being read. */
  #field = '';
  #key: { before: string; from: number } | undefined;
  #isKey = false;
  /** The same for an object in a field of the outermost object. */
  #innerField = '';
  #isInnerKey = false;

  constructor(itemsIn: ItemsIn) {
    this.#itemsIn = itemsIn;
  }

  /** Returns the items that this text completes. */
  push(text: string): JsonItem[] {
    const items: JsonItem[] = [];
    this.#lineStart = 0;
    for (let at = 0; at < text.length && !this.#isBroken; at += 1) this.#step(text, at, items);
    this.#columnBefore += text.length - this.#lineStart;
    if (this.#item !== undefined) {
      this.#item.before += text.slice(this.#item.from);
      this.#item.from = 0;
    }
    if (this.#key !== undefined) {
      this.#key.before += text.slice(this.#key.from);
      this.#key.from = 0;
    }
    return items;
  }

  /** Returns the last item, if only the end of the text completes it. */
  end(): JsonItem[] {
    const open = this.#open.at(-1);
    const item = this.#item;
    this.#item = undefined;
    if (this.#isBroken) return [];
    if (open !== undefined) {
      const what = open.close === CLOSE_LIST ? 'list' : 'object';
      this.#fault(open.place, `The file ends before the end of the ${what} that begins here.`);
      return [];
    }
    // Only a text, a number or a word is at the end without a bracket.
    return item === undefined ? [] : [{ ...item.place, ...item.name, text: item.before.trimEnd() }];
  }

  #place(at: number): Place {
    return { line: this.#line, column: this.#columnBefore + at - this.#lineStart + 1 };
  }

  #fault(place: Place, why: string): void {
    this.faults.push({ ...place, why });
  }

  #step(text: string, at: number, items: JsonItem[]): void {
    const code = text.charCodeAt(at);
    if (this.#inText) this.#stepInText(text, code, at);
    else if (!isSpace(code)) this.#stepOutside(text, code, at, items);
    if (code === NEWLINE) {
      this.#line += 1;
      this.#columnBefore = 0;
      this.#lineStart = at + 1;
    }
  }

  #stepInText(text: string, code: number, at: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === NEWLINE) {
      // JSON texts have no line ends. Ending the text here keeps later items readable.
      this.#inText = false;
      this.#fault(this.#textPlace, 'The text that begins here has no closing quote in its line.');
    } else if (code === QUOTE) {
      this.#inText = false;
      if (this.#key !== undefined) {
        const field = fieldOf(this.#key.before + text.slice(this.#key.from, at + 1));
        if (this.#open.length === 1) this.#field = field;
        else this.#innerField = field;
        this.#key = undefined;
      }
    }
  }

  #stepOutside(text: string, code: number, at: number, items: JsonItem[]): void {
    if (this.#isOver && this.#open.length === 0) {
      this.isSequence = true;
      this.#isBroken = true;
      this.#fault(this.#place(at), 'The JSON value ends before this character.');
      return;
    }
    const closes = code === CLOSE_LIST || code === CLOSE_MAP;
    const isBetween = (closes || code === COMMA) && this.#isItemLevel();
    if (isBetween) this.#endItem(text, at, items);
    else if (this.#item === undefined && this.#beginsItem(code)) {
      const name = this.#isInInnerMap() && this.#open.length === 2 ? { key: this.#innerField } : {};
      this.#item = { before: '', from: at, place: this.#place(at), name };
    }
    if (this.#open.length === 2 && code !== COMMA && !closes) this.#countFirst(code);
    if (code === QUOTE) this.#beginText(at);
    else if (code === OPEN_LIST || code === OPEN_MAP) this.#openBracket(code, at);
    else if (closes) this.#closeBracket(text, code, at, items);
    else if (code === COMMA) this.#stepComma();
    else if (code === COLON) this.#stepColon();
  }

  #stepComma(): void {
    if (this.#open.length === 1) this.#isKey = true;
    if (this.#open.length !== 2) return;
    this.#isInnerKey = true;
    this.#countNext();
  }

  #stepColon(): void {
    if (this.#open.length === 1) this.#isKey = false;
    if (this.#open.length !== 2) return;
    this.#isInnerKey = false;
    const map = this.maps.at(-1);
    if (this.#isInInnerMap() && map !== undefined) map.items += 1;
  }

  #isInInnerMap(): boolean {
    return this.#isInMap() && this.#open[1]?.close === CLOSE_MAP;
  }

  #isInMap(): boolean {
    return this.#open[0]?.close === CLOSE_MAP;
  }

  /** Whether the current list is the one whose values are items. */
  #isItemLevel(): boolean {
    if (this.#itemsIn === 'whole') return false;
    const top = this.#open.at(-1)?.close;
    if (this.#itemsIn === 'list') return top === CLOSE_LIST && this.#open.length === 1;
    const { field, isMap = false } = this.#itemsIn;
    if (top !== (isMap ? CLOSE_MAP : CLOSE_LIST)) return false;
    return this.#open.length === 2 && this.#isInMap() && this.#field === field;
  }

  #beginsItem(code: number): boolean {
    if (code === COMMA) return false;
    if (this.#itemsIn === 'whole') return this.#open.length === 0;
    return this.#isItemLevel() && !(this.#isInInnerMap() && this.#isInnerKey);
  }

  #endItem(text: string, at: number, items: JsonItem[]): void {
    if (this.#item === undefined) return;
    const { before, from, place, name } = this.#item;
    items.push({ ...place, ...name, text: (before + text.slice(from, at)).trimEnd() });
    this.#item = undefined;
  }

  #beginText(at: number): void {
    this.#inText = true;
    this.#textPlace = this.#place(at);
    const isKey = this.#open.length === 1 && this.#isInMap() && this.#isKey;
    const isInnerKey = this.#open.length === 2 && this.#isInInnerMap() && this.#isInnerKey;
    if (isKey || isInnerKey) this.#key = { before: '', from: at };
  }

  #openBracket(code: number, at: number): void {
    if (code === OPEN_LIST && this.#open.length === 1 && this.#isInMap())
      this.lists.push({ field: this.#field, items: 0, hasObjects: false });
    if (code === OPEN_MAP && this.#open.length === 0) this.#isKey = true;
    if (code === OPEN_MAP && this.#open.length === 1 && this.#isInMap()) {
      this.maps.push({ field: this.#field, items: 0, objects: 0 });
      this.#isInnerKey = true;
    }
    const map = this.maps.at(-1);
    if (code === OPEN_MAP && this.#open.length === 2 && this.#isInInnerMap() && map) map.objects += 1;
    this.#open.push({ close: code === OPEN_LIST ? CLOSE_LIST : CLOSE_MAP, place: this.#place(at) });
  }

  #closeBracket(text: string, code: number, at: number, items: JsonItem[]): void {
    const open = this.#open.pop();
    if (open?.close !== code) {
      this.#isBroken = true;
      const found = text.charAt(at);
      this.#fault(
        this.#place(at),
        open === undefined
          ? `Nothing is open that ${found} could close.`
          : `Expected ${String.fromCharCode(open.close)}, but found ${found}.`,
      );
      return;
    }
    if (this.#open.length > 0) return;
    this.#isOver = true;
    if (this.#itemsIn === 'whole') this.#endItem(text, at + 1, items);
  }

  /** Counts the items of lists in fields: one for the first value, one more for each comma. */
  #countFirst(code: number): void {
    const list = this.lists.at(-1);
    if (!this.#isCounted() || list === undefined || list.items > 0) return;
    list.items = 1;
    list.hasObjects = code === OPEN_MAP;
  }

  #countNext(): void {
    const list = this.lists.at(-1);
    if (this.#isCounted() && list !== undefined) list.items += 1;
  }

  #isCounted(): boolean {
    return this.#isInMap() && this.#open[1]?.close === CLOSE_LIST;
  }
}

type Named = Pick<JsonItem, 'key'>;

function fieldOf(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
