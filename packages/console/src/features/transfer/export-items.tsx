import { MenuCheckbox, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import type { Ids } from './document-ids.ts';
import { FORMATS, formatLabel } from './formats.ts';
import type { Export } from './use-export.tsx';

/** Exports these documents in any format. */
export const ExportItems = (props: { exporting: Export; ids: Ids | undefined; suffix?: string }) =>
  FORMATS.map((format) => (
    <MenuItem key={format} onClick={() => props.exporting.start(format, props.ids)}>
      {formatLabel(format)}
      {props.suffix}
    </MenuItem>
  ));

/** How the exports above it are written. */
export const ExportOptions = ({ exporting }: { exporting: Export }) => (
  <>
    <MenuSeparator />
    <MenuCheckbox
      checked={exporting.isSafe}
      onChange={exporting.setSafe}
      title="Puts an apostrophe before cells of CSV that a spreadsheet would run as a formula"
    >
      Safe for spreadsheets
    </MenuCheckbox>
  </>
);
