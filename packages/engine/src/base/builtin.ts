interface Runtime {
  getBuiltinModule?(name: string): unknown;
}

/**
 * A module that is part of the runtime, without an import that bundlers for the browser would
 * follow; undefined where there is none.
 */
export function builtin(name: string): unknown {
  return (globalThis as { process?: Runtime }).process?.getBuiltinModule?.(name);
}
