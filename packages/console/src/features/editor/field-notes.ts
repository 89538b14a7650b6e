/** Shows the author of each top-level field beside the line of a laid out JSON text. */
import { Compartment, type Extension, type Text } from '@codemirror/state';
import { type EditorView, GutterMarker, gutter } from '@codemirror/view';
import { colourOf, initialsOf } from '../../ui/avatar.tsx';

/** Describes the author of a field. */
export interface FieldNote {
  /** Such as "Ada, 2 minutes ago". */
  readonly text: string;
  /** The part of the text that has room beside the picture. */
  readonly short: string;
  /** The name of a person, for the picture; undefined for others. */
  readonly person: string | undefined;
  readonly isUnsaved: boolean;
}

/** Notes by the names of fields. */
export type FieldNotes = ReadonlyMap<string, FieldNote>;
/** Shows the details of a note beside an element. */
export type ShowNote = (field: string, anchor: Element) => void;

/** Matches the line on which a top-level field begins. */
const FIELD = /^ {2}("(?:[^"\\]|\\.)*")\s*:/;
/** Longer names are shown without a note. */
const NAME_CHARS_MAX = 1000;

const part = new Compartment();

/** The place of the notes among the extensions of an editor. */
export const fieldNotes = (notes: FieldNotes | undefined, show: ShowNote): Extension =>
  part.of(gutterOf(notes, show));

export const setFieldNotes = (view: EditorView, notes: FieldNotes | undefined, show: ShowNote): void =>
  view.dispatch({ effects: part.reconfigure(gutterOf(notes, show)) });

class Note extends GutterMarker {
  readonly #field: string;
  readonly #note: FieldNote;
  constructor(field: string, note: FieldNote) {
    super();
    this.#field = field;
    this.#note = note;
  }
  override eq(other: Note): boolean {
    return other.#field === this.#field && other.#note === this.#note;
  }
  override toDOM(): HTMLElement {
    const { text, short, person, isUnsaved } = this.#note;
    const note = document.createElement('span');
    note.className = `cm-author${isUnsaved ? ' cm-unsaved' : ''}`;
    note.dataset['field'] = this.#field;
    note.title = text;
    const picture = document.createElement('span');
    picture.className = `cm-avatar cm-avatar-${person === undefined ? 'none' : colourOf(person)}`;
    if (person === undefined) picture.append(drawnPerson());
    else picture.dataset['initials'] = initialsOf(person);
    const label = document.createElement('span');
    label.textContent = short;
    note.append(picture, label);
    return note;
  }
}

/** Continues the line beside a value of several lines. */
class Rest extends GutterMarker {
  readonly #isUnsaved: boolean;
  constructor({ isUnsaved }: FieldNote) {
    super();
    this.#isUnsaved = isUnsaved;
  }
  override eq(other: Rest): boolean {
    return other.#isUnsaved === this.#isUnsaved;
  }
  override toDOM(): HTMLElement {
    const rest = document.createElement('span');
    rest.className = `cm-author-rest${this.#isUnsaved ? ' cm-unsaved' : ''}`;
    return rest;
  }
}

const SVG = 'http://www.w3.org/2000/svg';

/** Draws somebody without a name, as `Avatar` does. */
function drawnPerson(): SVGElement {
  const icon = document.createElementNS(SVG, 'svg');
  icon.setAttribute('viewBox', '0 0 24 24');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', 'M12 13a5 5 0 1 0 0-10 5 5 0 0 0 0 10Zm8 8a8 8 0 0 0-16 0');
  icon.append(path);
  return icon;
}

const gutterOf = (notes: FieldNotes | undefined, show: ShowNote): Extension =>
  notes === undefined
    ? []
    : gutter({
        class: 'cm-field-notes',
        domEventHandlers: {
          click: (_view, _line, { target }) => {
            const note = target instanceof Element ? target.closest<HTMLElement>('.cm-author') : null;
            if (note !== null) show(note.dataset['field'] ?? '', note);
            return note !== null;
          },
        },
        lineMarker: ({ state }, { from }) => {
          const { text, number } = state.doc.lineAt(from);
          const field = fieldIn(text);
          const note = notes.get(field ?? fieldAround(state.doc, number, MARKED_LINES_MAX) ?? '');
          // Only the end of the document isn't indented.
          if (note === undefined || !/^\s/.test(text)) return null;
          return field === undefined ? new Rest(note) : new Note(field, note);
        },
      });

/** Shows the note of the field at the caret. Returns whether there is one. */
export function showNoteAtCaret(view: EditorView, show: ShowNote): boolean {
  const { doc, selection } = view.state;
  const field = fieldAround(doc, doc.lineAt(selection.main.head).number);
  const notes = [...view.dom.querySelectorAll<HTMLElement>('.cm-author')];
  const note = notes.find(({ dataset }) => dataset['field'] === field);
  if (field === undefined || note === undefined) return false;
  show(field, note);
  return true;
}

/** Longer values have no note below their first lines, and no line beside them. */
const LINES_MAX = 1000;
const MARKED_LINES_MAX = 100;

/** Returns the top-level field whose value contains a line. */
function fieldAround(doc: Text, number: number, linesMax = LINES_MAX): string | undefined {
  for (let at = number; at > 0 && at > number - linesMax; at--) {
    const field = fieldIn(doc.line(at).text);
    if (field !== undefined) return field;
  }
  return undefined;
}

/** Returns the top-level field that begins on a line. */
export function fieldIn(line: string): string | undefined {
  const name = FIELD.exec(line.slice(0, NAME_CHARS_MAX))?.[1];
  if (name === undefined) return undefined;
  try {
    return String(JSON.parse(name));
  } catch {
    return undefined;
  }
}
