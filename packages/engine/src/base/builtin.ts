interface Runtime {
  getBuiltinModule?(name: string): unknown;
}

/**
 * Returns a module of the runtime, or undefined where there is none. Bundlers for the browser don't
 * follow this as they would an import.
 */
export function builtin(name: string): unknown {
  return (globalThis as { process?: Runtime }).process?.getBuiltinModule?.(name);
}
