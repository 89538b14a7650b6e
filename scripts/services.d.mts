/** Folder for data that needn't outlive tests: in memory if enough memory is free. */
export function fastFolder(): string;
