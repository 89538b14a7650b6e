/** Writes a folder with a template of `npm create fixpoint` for each example. */
export function writeTemplates(to: string): void;
