/**
 * The first program of a new context. It removes every way to run code from text, to wait, to read
 * the time or randomness, or to keep state in shared objects from one document to the next.
 *
 * Its value is `install(map, rowsMax, outputMax)`, which returns `run(json)`. `run` takes an array
 * of documents and returns a text: `+` and the rows as JSON, or `!` and a message. A row is
 * [document, key, value], or [document, tagged key, value, 1] for a key that JSON can't represent.
 */
export const PRELUDE = `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { isFinite } = Number;
  const { freeze, getPrototypeOf, getOwnPropertyNames, getOwnPropertySymbols, getOwnPropertyDescriptor, preventExtensions } = Object;
  const { construct, ownKeys } = Reflect;
  const RealDate = Date;
  const RealString = String;
  const KnownTypeError = TypeError;
  const kinds = [async () => {}, function* () {}, async function* () {}].map(getPrototypeOf);

  function FixedDate(...parts) {
    if (new.target === undefined) return new RealDate(0).toString();
    return construct(RealDate, parts.length === 0 ? [0] : parts, new.target);
  }
  FixedDate.prototype = RealDate.prototype;
  RealDate.prototype.constructor = FixedDate;
  FixedDate.parse = RealDate.parse;
  FixedDate.UTC = RealDate.UTC;
  FixedDate.now = () => 0;
  globalThis.Date = FixedDate;
  Math.random = () => 0.5;

  const noText = () => { throw new KnownTypeError('code from text is not available'); };
  const NoFunction = function () { noText(); };
  NoFunction.prototype = Function.prototype;
  for (const prototype of [Function.prototype, ...kinds])
    Object.defineProperty(prototype, 'constructor', { value: NoFunction, writable: false, configurable: false });
  globalThis.Function = NoFunction;

  const kept = new Set(('Object Function Array String Number Boolean Symbol BigInt Math JSON Date RegExp Reflect Proxy Map Set WeakMap WeakSet '
    + 'Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError '
    + 'ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array '
    + 'BigInt64Array BigUint64Array parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI decodeURI '
    + 'undefined NaN Infinity globalThis').split(' '));
  for (const name of ownKeys(globalThis)) if (!kept.has(name)) delete globalThis[name];

  const seen = new Set();
  const freezeAll = (value) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
    seen.add(value);
    freezeAll(getPrototypeOf(value));
    for (const key of [...getOwnPropertyNames(value), ...getOwnPropertySymbols(value)]) {
      const { value: inner, get, set } = getOwnPropertyDescriptor(value, key);
      freezeAll(inner);
      freezeAll(get);
      freezeAll(set);
    }
    if (value !== globalThis) freeze(value);
  };
  freezeAll(globalThis);
  for (const kind of kinds) freezeAll(kind);
  for (const hidden of [[][Symbol.iterator](), new Map().entries(), new Set().entries(), ''[Symbol.iterator](), ''.matchAll(/x/g)])
    freezeAll(getPrototypeOf(hidden));
  freeze(globalThis);

  const beyondJson = (key) => typeof key === 'number' ? !isFinite(key)
    : isArray(key) && key.some((part) => part === undefined || beyondJson(part));
  const tag = (key) => {
    if (key === undefined) return ['u'];
    if (typeof key === 'number' && !isFinite(key)) return ['n', RealString(key)];
    return isArray(key) ? ['a', key.map(tag)] : ['v', key];
  };
  const describe = (thrown) => {
    const message = thrown !== null && typeof thrown === 'object' ? thrown.message : undefined;
    return RealString(message === undefined || message === '' ? thrown : message);
  };

  return (map, rowsMax, outputMax) => {
    if (typeof map !== 'function' || kinds.includes(getPrototypeOf(map))) return '!mapFn must be a function';
    freeze(map);
    let rows = 0;
    let size = 0;
    return (json) => {
      const documents = parse(json);
      const out = [];
      let at = 0;
      const add = (key, value) => {
        const row = beyondJson(key) ? [at, tag(key), value, 1] : [at, key, value];
        const text = stringify(row);
        rows += 1;
        size += text.length;
        if (rows > rowsMax) throw new KnownTypeError('stopped after ' + rowsMax + ' rows');
        if (size > outputMax) throw new KnownTypeError('stopped after ' + outputMax + ' characters of output');
        out[out.length] = text;
      };
      try {
        for (; at < documents.length; at++) {
          let emitted = false;
          const returned = map(documents[at], (key, value) => {
            emitted = true;
            if (key !== undefined) add(key, value || null);
          });
          if (emitted || returned === undefined) continue;
          if (returned !== null && typeof returned.then === 'function') return '!mapFn must be a function';
          add(returned, null);
        }
        return '+[' + out.join(',') + ']';
      } catch (thrown) {
        return '!' + describe(thrown);
      }
    };
  };
})()`;
