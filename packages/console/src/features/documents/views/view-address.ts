/** Saved views in the parameters of the table's address. */
import { filterIn, setFilter } from '../../filter/filter-address.ts';
import { addressOfLayout, type TableLayout } from '../table/table-layout.ts';

/** The parameter with the id of the open view. */
export const VIEW_PARAMETER = 'view';
const LAYOUT_PARAMETER = 'layout';

/** Returns the parameters of a view of the table: what it shows, and its columns. */
export function viewOf(parameters: URLSearchParams, layout: TableLayout): string {
  const view = new URLSearchParams();
  const { parts, malformed } = filterIn(parameters);
  setFilter(view, parts, malformed);
  for (const name of ['find', 'sort']) {
    const value = parameters.get(name);
    if (value !== null && value !== '') view.set(name, value);
  }
  view.set(LAYOUT_PARAMETER, addressOfLayout(layout));
  return view.toString();
}

/** Returns the address of the table without a view and its parameters. */
export function withoutView(parameters: URLSearchParams): URLSearchParams {
  const others = new URLSearchParams(parameters);
  for (const name of [VIEW_PARAMETER, LAYOUT_PARAMETER, 'filter', 'where', 'find', 'sort'])
    others.delete(name);
  return others;
}
