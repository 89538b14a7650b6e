import { fileURLToPath } from 'node:url';

export const vectorsFolder = fileURLToPath(new URL('../../../tests/vectors/', import.meta.url));
