/** Shows a note beside each top-level field of a laid out JSON text. */
import { Compartment, type Extension } from '@codemirror/state';
import { type EditorView, GutterMarker, gutter } from '@codemirror/view';

/** Notes by the names of fields. */
export type FieldNotes = ReadonlyMap<string, string>;

/** Matches the line on which a top-level field begins. */
const FIELD = /^ {2}("(?:[^"\\]|\\.)*")\s*:/;
/** Longer names are shown without a note. */
const NAME_CHARS_MAX = 1000;

const part = new Compartment();

/** The place of the notes among the extensions of an editor. */
export const fieldNotes = (notes: FieldNotes | undefined): Extension => part.of(gutterOf(notes));

export const setFieldNotes = (view: EditorView, notes: FieldNotes | undefined): void =>
  view.dispatch({ effects: part.reconfigure(gutterOf(notes)) });

class Note extends GutterMarker {
  readonly #text: string;
  constructor(text: string) {
    super();
    this.#text = text;
  }
  override eq(other: Note): boolean {
    return other.#text === this.#text;
  }
  override toDOM(): HTMLElement {
    const note = document.createElement('span');
    note.textContent = this.#text;
    note.title = this.#text;
    return note;
  }
}

/** Class of a note that is shown whole, also where the gutter is too narrow for it. */
const WHOLE = 'cm-whole-note';

/** Shows a pressed note whole, because touch screens have no tooltips. The next press cuts it. */
function showWhole(_view: EditorView, _line: unknown, { target }: Event): boolean {
  if (!(target instanceof HTMLSpanElement)) return false;
  const isWhole = target.classList.contains(WHOLE);
  for (const other of target.closest('.cm-field-notes')?.querySelectorAll(`.${WHOLE}`) ?? [])
    other.classList.remove(WHOLE);
  target.classList.toggle(WHOLE, !isWhole);
  return true;
}

const gutterOf = (notes: FieldNotes | undefined): Extension =>
  notes === undefined
    ? []
    : gutter({
        class: 'cm-field-notes',
        domEventHandlers: { click: showWhole },
        lineMarker: ({ state }, { from }) => {
          const note = notes.get(fieldIn(state.doc.lineAt(from).text) ?? '');
          return note === undefined ? null : new Note(note);
        },
      });

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
