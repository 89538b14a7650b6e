// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are programs, written as they are stored.
import { describe, expect, test } from 'vitest';
import { capturesNothing } from './captures.ts';

const ALONE = [
  '(doc) => doc.type',
  'doc => doc.type',
  'function (doc) { return doc.type }',
  'function map(doc, emit) { if (doc.next) map(doc.next, emit); emit(doc.type) }',
  '(doc, emit) => { emit(doc._id, doc) }',
  '({ type, n }) => [type, n]',
  '({ at: { time }, tags: [first, ...rest] }) => [time, first, rest.length]',
  '(doc, emit) => { for (const tag of doc.tags ?? []) emit([tag, doc.n], { tag: tag, n: doc.n }) }',
  '(doc, emit) => {\n  for (let at = 0; at < doc.tags.length; at++) {\n    emit(doc.tags[at])\n  }\n}',
  '(doc, emit) => { doc.text.split(/[\\s/"]+/).forEach((word) => emit(word.toLowerCase())) }',
  '(doc) => `${doc.type}-${`${doc.n}`}{`',
  "(doc) => doc.type === 'it\\'s' ? doc.n / 2 : Math.floor(doc.n) // secret",
  '(doc, emit) => { const a = doc.a, b = doc.b; let c\n c = a\n emit([a, b, c]) }',
  '(doc, emit) => { const { x, y: z } = doc; emit([x, z]) }',
  '(doc, emit) => { try { emit(JSON.parse(doc.json).n) } catch (error) { emit(error.message) } }',
  '(doc, emit) => { function size(list) { return list.length } emit(size(doc.tags)) }',
  '(doc) => doc.list\n  .filter((item) =>\n    item.done &&\n    item.n > 1)\n  .map(x => x.n)',
  '(doc) => doc?.secret?.[0] ?? new Date(doc.at).getTime()',
  '(doc) => ({ secret: doc.a, other: doc.b })',
  '() => 1',
];

const CAPTURING = [
  '(doc) => doc[field]',
  '(doc) => doc.type === type',
  '(doc) => [doc.type, secret]',
  '(doc) => ({ secret })',
  '(doc) => ({ [secret]: doc.a })',
  '(doc) => ({ a: secret })',
  '(doc) => `${secret}`',
  '(doc) => `${`${secret}`}`',
  '(doc = secret) => doc',
  '({ a = secret }) => a',
  '({ [secret]: a }) => a',
  '({ secret: a }) => a + secret',
  '(doc) => doc ? secret : 1',
  '(doc) => f(doc, secret ? 1 : 2)',
  '(doc, emit) => { doc.tags.forEach((secret) => emit(secret)); emit(secret) }',
  '(doc, emit) => { const f = (secret) => secret + 1\n emit(secret) }',
  '(doc, emit) => { { const secret = 1; emit(secret) } emit(secret) }',
  '(doc, emit) => { for (const secret of doc.tags) emit(secret); emit(secret) }',
  '(doc, emit) => { for (const secret of doc.tags) emit(secret)\n emit(secret) }',
  '(doc, emit) => { try { emit(1) } catch (secret) { emit(secret) } emit(secret) }',
  '(doc, emit) => { switch (doc.type) { case 1, secret: emit(1) } }',
  '(doc, emit) => { const { a = secret } = doc; emit(a) }',
  '(doc, emit) => { const a = secret; emit(a) }',
  '(doc, emit) => { ({ secret } = doc); emit(1) }',
  'function (doc) { return this.type }',
  'function (doc) { return arguments[1] }',
  'map(doc) { return doc.type }',
  'function () { [native code] }',
  'class { constructor(doc) { } }',
  '(doc) => { if (doc.a) /x/.test(secret) }',
  '(doc) => import(doc.a)',
  '(doc) => eval(doc.a)',
  '(doc) => doc.type === \\u0073ecret',
  '(doc) => doc[__vite_ssr_import_0__.field]',
  '(doc => ',
];

describe('capturesNothing', () => {
  test.each(ALONE)('finds no captures: %s', (text) => expect(capturesNothing(text)).toBe(true));
  test.each(CAPTURING)('finds possible captures: %s', (text) => expect(capturesNothing(text)).toBe(false));
});
