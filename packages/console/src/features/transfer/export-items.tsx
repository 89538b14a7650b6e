import { MenuCheckbox, MenuItem, MenuSeparator } from '../../ui/overlays/menu.tsx';
import type { Ids } from './document-ids.ts';
import { FORMATS, formatLabel } from './formats.ts';
import type { Export } from './use-export.tsx';

/** Renders menu items that export these documents in each format. */
export const ExportItems = (props: { exporting: Export; ids: Ids | undefined; suffix?: string }) =>
  FORMATS.map((format) => (
    <MenuItem key={format} onClick={() => props.exporting.start(format, props.ids)}>
      {formatLabel(format)}
      {props.suffix}
    </MenuItem>
  ));

/** Renders the options that apply to the export items above. */
export const ExportOptions = ({ exporting }: { exporting: Export }) => (
  <>
    <MenuSeparator />
    <MenuCheckbox
      checked={exporting.isSafe}
      onChange={exporting.setSafe}
      title="Adds an apostrophe to CSV cells that a spreadsheet would run as a formula"
    >
      Safe for spreadsheets
    </MenuCheckbox>
  </>
);
