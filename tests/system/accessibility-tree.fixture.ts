/** Prints what Chromium tells screen readers about a page. */
import type { Page } from 'playwright-core';

interface Value {
  readonly value?: unknown;
}
interface AXNode {
  readonly nodeId: string;
  readonly ignored: boolean;
  readonly role?: Value;
  readonly name?: Value;
  readonly description?: Value;
  readonly value?: Value;
  readonly properties?: readonly { readonly name: string; readonly value: Value }[];
  readonly childIds?: readonly string[];
  readonly backendDOMNodeId?: number;
}

/** Roles without a meaning of their own, and the options of a closed select. */
const SKIPPED = new Set(['generic', 'none', 'LabelText', 'LineBreak', 'Canvas', 'Figcaption']);
const CLOSED = new Set(['MenuListPopup', 'InlineTextBox']);
/** Roles whose text is their name. */
const NAMED_BY_TEXT =
  /^(button|link|heading|gridcell|cell|columnheader|rowheader|menuitem|option|tab|term|textbox|searchbox|DisclosureTriangle|combobox|code)$/;
/** States printed whenever a role has them. */
const ALWAYS = ['checked', 'pressed', 'expanded', 'selected'];
/** States printed only when they are set. */
const IF_SET = [
  'disabled',
  'invalid',
  'required',
  'readonly',
  'live',
  'busy',
  'hasPopup',
  'modal',
  'multiselectable',
];
/** Attributes that Chromium's protocol leaves out. */
const ATTRIBUTES =
  /^aria-(rowcount|colcount|rowindex|colindex|level|setsize|posinset|sort|current|keyshortcuts)$/;

const quoted = (text: string) => JSON.stringify(text.replace(/\s+/g, ' ').trim());
/** Replaces what differs from run to run. */
const steady = (text: string) => text.replace(/in [\d,]+ ms/g, 'in N ms');

/** Returns the accessibility tree below an element, a line for each node. */
export async function accessibilityTree(page: Page, selector: string): Promise<string> {
  const session = await page.context().newCDPSession(page);
  await session.send('Accessibility.enable');
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as unknown as {
    nodes: readonly AXNode[];
  };
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const { result } = await session.send('Runtime.evaluate', {
    expression: `document.querySelector(${JSON.stringify(selector)})`,
  });
  const { node: element } = await session.send('DOM.describeNode', { objectId: result.objectId ?? '' });
  const root = nodes.find(({ backendDOMNodeId }) => backendDOMNodeId === element.backendNodeId);
  if (root === undefined) throw new Error(`nothing accessible at ${selector}`);
  const lines: string[] = [];
  let texts: string[] = [];
  const flush = (depth: number) => {
    const text = texts.join('');
    texts = [];
    if (text.trim() !== '') lines.push(`${'  '.repeat(depth)}${quoted(text)}`);
  };
  const attributesOf = async ({ backendDOMNodeId }: AXNode): Promise<string[]> => {
    if (backendDOMNodeId === undefined) return [];
    const { node } = await session.send('DOM.describeNode', { backendNodeId: backendDOMNodeId });
    const pairs = node.attributes ?? [];
    return pairs.flatMap((name, at) =>
      at % 2 === 0 && ATTRIBUTES.test(name) ? [`${name.slice(5)}=${pairs[at + 1]}`] : [],
    );
  };
  const print = async (node: AXNode, depth: number, isText: boolean): Promise<void> => {
    const role = String(node.role?.value);
    if (CLOSED.has(role)) return;
    if (role === 'StaticText') {
      if (!isText) texts.push(String(node.name?.value ?? ''));
      return;
    }
    const isPrinted = !node.ignored && !SKIPPED.has(role);
    if (isPrinted) {
      flush(depth);
      lines.push(`${'  '.repeat(depth)}${lineOf(node, role, await attributesOf(node))}`);
    }
    const inner = isPrinted ? depth + 1 : depth;
    const isNamed = isText || (isPrinted && NAMED_BY_TEXT.test(role));
    for (const id of node.childIds ?? []) {
      const child = byId.get(id);
      if (child !== undefined) await print(child, inner, isNamed);
    }
    if (isPrinted) flush(inner);
  };
  await print(root, 0, false);
  await session.detach();
  return `${steady(lines.join('\n'))}\n`;
}

function lineOf(node: AXNode, role: string, attributes: readonly string[]): string {
  const name = String(node.name?.value ?? '');
  const properties = new Map((node.properties ?? []).map((one) => [one.name, one.value.value]));
  const unset = [undefined, false, 'false', 'off'];
  const states = [
    ...ALWAYS.filter((state) => properties.has(state)).map((state) => `${state}=${properties.get(state)}`),
    ...IF_SET.filter((state) => !unset.includes(properties.get(state) as string)).map((state) =>
      properties.get(state) === true ? state : `${state}=${properties.get(state)}`,
    ),
    ...(role === 'heading' ? [`level=${properties.get('level')}`] : []),
    ...attributes,
  ];
  const value = String(node.value?.value ?? '');
  const description = String(node.description?.value ?? '');
  return [
    role,
    ...(name === '' ? [] : [quoted(name)]),
    ...(value === '' || value === name ? [] : [`value ${quoted(value)}`]),
    // Screen readers leave out a description that only repeats the name.
    ...(description === '' || description === name ? [] : [`described as ${quoted(description)}`]),
    ...(states.length === 0 ? [] : [`(${states.join(', ')})`]),
  ].join(' ');
}
