/** Lays out the events of a database as a graph, newest at the top. */

export interface Node {
  readonly event: string;
  readonly parents: readonly string[];
}

export interface DrawnRow {
  /** The event's lane, counted from 0. */
  readonly lane: number;
  /**
   * Lines in this row, each from a lane at the top of the row to a lane at its bottom. A line with
   * `from` undefined begins at the event; a line with `to` undefined ends at the event.
   */
  readonly lines: readonly { readonly from: number | undefined; readonly to: number | undefined }[];
  readonly lanes: number;
}

/**
 * Returns one row per event. An event gets the lane that its first child reserved, or else a free
 * lane.
 */
export function drawLanes(nodes: readonly Node[]): DrawnRow[] {
  let waiting: (string | undefined)[] = [];
  return nodes.map(({ event, parents }) => {
    const found = waiting.indexOf(event);
    const lane = found >= 0 ? found : freeLane(waiting);
    const before = [...waiting];
    const after = before.map((one) => (one === event ? undefined : one));
    const places = parents.map((parent, at) => {
      const known = after.indexOf(parent);
      const place = known >= 0 ? known : at === 0 && after[lane] === undefined ? lane : freeLane(after);
      after[place] = parent;
      return place;
    });
    const lines: { from: number | undefined; to: number | undefined }[] = [];
    for (const [at, one] of before.entries()) {
      if (one === undefined) continue;
      lines.push(one === event ? { from: at, to: undefined } : { from: at, to: at });
    }
    for (const place of places) lines.push({ from: undefined, to: place });
    while (after.length > 0 && after.at(-1) === undefined) after.pop();
    waiting = after;
    return { lane, lines, lanes: Math.max(before.length, after.length, lane + 1) };
  });
}

function freeLane(lanes: readonly (string | undefined)[]): number {
  const free = lanes.indexOf(undefined);
  return free >= 0 ? free : lanes.length;
}
