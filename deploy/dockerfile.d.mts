/** An instruction of a Dockerfile, with its flags such as `--from`. */
export interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Returns the instructions of a Dockerfile in order.
 * @throws Error for an instruction that this repository doesn't use
 */
export function readDockerfile(text: string): readonly Instruction[];

/** Returns the variables of `ENV a=1 b=2` or `ARG a=1`. */
export function variablesOf(text: string): Readonly<Record<string, string>>;
