/** Writes the templates of `npm create fixpoint`, each into a folder with the name of its example. */
export function writeTemplates(to: string): void;
