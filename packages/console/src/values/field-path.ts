/** Paths to fields, as the engine writes them: `address.city`, `tags[]`, `a\\.b` for `a.b`. */

/** One name of a path. */
export interface Step {
  readonly name: string;
  /** Whether the path continues with each entry of the list in this field. */
  readonly isEach: boolean;
}

const NEEDS_BACKSLASH = /[\\.[\]]/g;
/** Names that combine conditions in `Where`. */
const RESERVED: ReadonlySet<string> = new Set(['and', 'or', 'not']);

/** Returns the path with these names, as the engine writes it. */
export function pathOf(steps: readonly Step[]): string {
  const [only] = steps;
  if (steps.length === 1 && only?.isEach === false && RESERVED.has(only.name)) return `\\${only.name}`;
  return steps
    .map(({ name, isEach }) => name.replace(NEEDS_BACKSLASH, '\\$&') + (isEach ? '[]' : ''))
    .join('.');
}

/** Returns the names in a path. */
export function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  let name = '';
  let isEach = false;
  for (let at = 0; at < path.length; at += 1) {
    const char = path.charAt(at);
    if (char === '\\') {
      at += 1;
      name += path.charAt(at);
    } else if (char === '.') {
      steps.push({ name, isEach });
      name = '';
      isEach = false;
    } else if (char === '[') {
      isEach = true;
      at += 1;
    } else name += char;
  }
  return [...steps, { name, isEach }];
}
