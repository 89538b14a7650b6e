import * as valibot from 'valibot';
import type * as v from './shape.ts';

/** The same schema in the library that checks the admin API. */
export function inValibot({ type, literal, item, entries }: v.Shape<unknown>): valibot.GenericSchema {
  if (type === 'literal') return valibot.literal(literal as string);
  if (type === 'optional') return valibot.optional(inValibot(item as v.Shape<unknown>));
  if (type === 'array') return valibot.array(inValibot(item as v.Shape<unknown>));
  const { string, number, boolean } = valibot;
  if (type !== 'object') return { string, number, boolean }[type]();
  const inside = Object.entries(entries ?? {}).map(([name, shape]) => [name, inValibot(shape)]);
  return valibot.looseObject(Object.fromEntries(inside));
}
