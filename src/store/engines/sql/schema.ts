export interface Table {
  /** As it is written in statements. */
  readonly name: string;
  readonly create: readonly string[];
  /** A table without one of these columns was made by another program. */
  readonly columns: readonly string[];
}

export interface Column {
  readonly table: string;
  readonly column: string;
}

/**
 * The statements that create the tables which a database lacks.
 *
 * @param existing all columns of those tables that are there
 * @throws Error for a table with the name of one of ours that another program has made
 */
export function missingOf(tables: readonly Table[], existing: readonly Column[]): string[] {
  return tables.flatMap(({name, create, columns}) => {
    const own = new Set(existing.filter(({table}) => table === name).map(({column}) => column));
    if (own.size === 0) return create;
    if (columns.every((column) => own.has(column))) return [];
    throw new Error(`The table ${name} was made by another program`);
  });
}
