/** Reads Dockerfiles: only the instructions that ours uses. */

/**
 * Returns the instructions of a Dockerfile in order, each with its name, its flags and its text.
 * @throws Error for an instruction that isn't known
 */
export function readDockerfile(text) {
  const known =
    /^(ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|RUN|STOPSIGNAL|USER|VOLUME|WORKDIR)\s+/;
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  return lines.map((line) => {
    const [start, name] = known.exec(line) ?? [];
    if (name === undefined) throw new Error(`unknown instruction: ${line}`);
    let rest = line.slice(start.length);
    const flags = {};
    for (let flag = /^--([a-z-]+)=(\S+)\s+/.exec(rest); flag; flag = /^--([a-z-]+)=(\S+)\s+/.exec(rest)) {
      flags[flag[1]] = flag[2];
      rest = rest.slice(flag[0].length);
    }
    return { name, flags, text: rest };
  });
}

/** Returns the variables of `ENV a=1 b=2` or `ARG a=1`. */
export const variablesOf = (text) =>
  Object.fromEntries(
    text.split(/\s+/).map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
