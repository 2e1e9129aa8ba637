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

/** A table in the database has the name of one of ours, and was made by another program. */
export class ForeignTableError extends Error {
  override readonly name = 'ForeignTableError';
}

/**
 * The statements that create the tables which a database lacks.
 *
 * @param existing all columns of those tables that are there
 * @throws {ForeignTableError}
 */
export function missingOf(tables: readonly Table[], existing: readonly Column[]): string[] {
  return tables.flatMap(({name, create, columns}) => {
    const own = new Set(existing.filter(({table}) => table === name).map(({column}) => column));
    if (own.size === 0) return create;
    if (columns.every((column) => own.has(column))) return [];
    throw new ForeignTableError(`The table ${name} was made by another program`);
  });
}
