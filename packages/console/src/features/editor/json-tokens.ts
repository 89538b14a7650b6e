/** Describes a token of valid JSON text and its position. */
export interface JsonToken {
  readonly kind: '{' | '}' | '[' | ']' | ',' | ':' | 'text' | 'number' | 'word';
  readonly from: number;
  readonly to: number;
}

const MARKS = '{}[],:';
const SPACE = /[ \t\r\n]/;
const WORD_END = /[ \t\r\n,\]}:]/;

/** Yields the tokens of text that `JSON.parse` accepts; for other text they are meaningless. */
export function* jsonTokens(text: string): Generator<JsonToken> {
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (SPACE.test(char)) {
      at += 1;
      continue;
    }
    const from = at;
    if (MARKS.includes(char)) {
      at += 1;
      yield { kind: char as JsonToken['kind'], from, to: at };
    } else if (char === '"') {
      at = endOfText(text, at);
      yield { kind: 'text', from, to: at };
    } else {
      while (at < text.length && !WORD_END.test(text.charAt(at))) at += 1;
      if (at === from) at += 1;
      yield { kind: /[-0-9]/.test(char) ? 'number' : 'word', from, to: at };
    }
  }
}

/** Returns the index behind the closing quote. */
function endOfText(text: string, open: number): number {
  let at = open + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}
