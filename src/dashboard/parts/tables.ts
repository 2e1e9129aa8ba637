import {attributes, type Attributes, type Content, html, type Html} from '../html.ts';

/** A column of a table: its heading, and what each row has in it. */
export interface Column<Row> {
  readonly name: Content;
  /** The name in a row that is a card, where there is little room; by default a name that is a text. */
  readonly label?: string;
  readonly className?: string;
  /** Whether the rows are sorted by it, the most first. */
  readonly isSorted?: boolean;
  readonly cell: (row: Row, index: number) => Content;
}

/** `false` is no column. */
export type Columns<Row> = ReadonlyArray<Column<Row> | false>;

/** CSS may turn each row into a card, which removes the roles of a table, so they are set explicitly. */
export function table<Row>(own: Attributes, columns: Columns<Row>, rows: readonly Row[], hasNames = false): Html {
  const shown = columns.filter((column) => column !== false);
  const head = ({name, className, isSorted = false}: Column<Row>): Html => {
    const all = {role: 'columnheader', scope: 'col', class: className, 'aria-sort': isSorted && 'descending'};
    return html`<th ${attributes(all)}>${name}</th>`;
  };
  const cell = ({name, label, className}: Column<Row>, content: Content, isName: boolean): Html => {
    if (isName) return html`<th role="rowheader" scope="row">${content}</th>`;
    const shownName = label ?? (typeof name === 'string' && name !== '' && name);
    return html`<td ${attributes({role: 'cell', class: className, 'data-label': shownName})}>${content}</td>`;
  };
  return html`<table ${attributes({role: 'table', ...own})}>
    <thead role="rowgroup">
      <tr role="row">
        ${shown.map(head)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (row, index) =>
          html`<tr role="row">
            ${shown.map((column, place) => cell(column, column.cell(row, index), hasNames && place === 0))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** A table of links or accounts. */
export function listTable<Row>(name: Attributes, columns: Columns<Row>, rows: readonly Row[]): Html {
  return table({class: 'links-table', ...name}, columns, rows);
}

/** A table of numbers. The first column has the names of the rows. */
export function numberTable<Row>(
  className: string,
  [first = false, ...columns]: Columns<Row>,
  rows: readonly Row[],
): Html {
  const numbers = columns.map((column) => column && {...column, className: 'links-number'});
  return table({class: className}, [first, ...numbers], rows, true);
}
