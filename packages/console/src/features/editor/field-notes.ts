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
    picture.dataset['initials'] = person === undefined ? '?' : initialsOf(person);
    const label = document.createElement('span');
    label.textContent = short;
    note.append(picture, label);
    return note;
  }
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
          const field = fieldIn(state.doc.lineAt(from).text);
          const note = field === undefined ? undefined : notes.get(field);
          return field === undefined || note === undefined ? null : new Note(field, note);
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

/** Longer values are shown without a note below their first lines. */
const LINES_MAX = 1000;

/** Returns the top-level field whose value contains a line. */
function fieldAround(doc: Text, number: number): string | undefined {
  for (let at = number; at > 0 && at > number - LINES_MAX; at--) {
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
