/**
 * Writes a folder with a template of `npm create fixpoint` for each example.
 * @param from the folder that contains the examples; default `examples`
 */
export function writeTemplates(to: string, from?: string): void;
