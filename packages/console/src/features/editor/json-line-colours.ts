/** Colours only the JSON in view, for texts too long to parse at each key. */
import { highlightingFor } from '@codemirror/language';
import { type Range, RangeSet } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { jsonLineMarks } from './json-line-marks.ts';

const TAG = { name: tags.propertyName, text: tags.string, number: tags.number, word: tags.bool };

export const jsonLineColours = ViewPlugin.define(
  (view) => ({
    marks: marksIn(view),
    update({ docChanged, viewportChanged, view: now }) {
      if (docChanged || viewportChanged) this.marks = marksIn(now);
    },
  }),
  { decorations: ({ marks }) => marks },
);

function marksIn({ state, visibleRanges }: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  let next = 0;
  for (const { from, to } of visibleRanges)
    for (next = Math.max(next, from); next <= to; ) {
      const line = state.doc.lineAt(next);
      for (const one of jsonLineMarks(line.text)) {
        const mark = Decoration.mark({ class: highlightingFor(state, [TAG[one.kind]]) ?? '' });
        marks.push(mark.range(line.from + one.from, line.from + one.to));
      }
      next = line.to + 1;
    }
  return RangeSet.of(marks);
}
