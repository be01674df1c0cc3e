/** Rows of an OVSDB database as plain JSON: the current rows, and the planned changes. */

/**
 * Value of a column: one atom; a list for a set, including an optional value; an object for a map. References are UUIDs
 * as text.
 */
export type ColumnValue = Atom | readonly Atom[] | Readonly<Record<string, string>>;

export type Atom = string | number | boolean;

/** A row as it was read: `_uuid` and the columns that were requested. */
export interface DatabaseRow {
  readonly _uuid: string;
  readonly [column: string]: ColumnValue;
}

/** Form in which a column is written in the protocol; only the schema defines it (RFC 7047 section 3.2). */
export interface ColumnShape {
  readonly kind: 'one' | 'set' | 'map';
  /** True if the column contains references to rows. */
  readonly isReference: boolean;
}

/** Form of each column in a server's schema: table → column → form. Older releases lack some columns. */
export type DatabaseShape = Readonly<Record<string, Readonly<Record<string, ColumnShape>>>>;

/** Tables that were read from one database. */
export interface DatabaseRows {
  readonly database: string;
  readonly shape: DatabaseShape;
  readonly tables: Readonly<Record<string, readonly DatabaseRow[]>>;
}

/** Reference to a row that the same plan inserts, by the row's name in the plan. */
export interface NewRow {
  readonly newRow: string;
}

/** Reference to a row that exists or will be inserted. */
export type RowReference = string | NewRow;

export type WrittenAtom = Atom | NewRow;

/** Value that is written to a column. */
export type WrittenValue = WrittenAtom | readonly WrittenAtom[] | Readonly<Record<string, string>>;

/**
 * Set column of a parent row that refers to a row: the table of the parent row, the parent row itself, and the column.
 */
export interface RowPlace {
  readonly table: string;
  readonly row: RowReference;
  readonly column: string;
}

/** Change of a row, with its reason. `title` names the row for the user: `Logical_Switch join`. */
export type RowChange =
  | {
      readonly do: 'insert';
      readonly table: string;
      readonly title: string;
      /** Name by which other changes of the plan refer to the row. */
      readonly name: string;
      readonly row: Readonly<Record<string, WrittenValue>>;
      /** Column of the parent row that will refer to the row; null for a row of a root table. */
      readonly place: RowPlace | null;
      readonly why: string;
    }
  | {
      readonly do: 'update';
      readonly table: string;
      readonly title: string;
      readonly uuid: string;
      readonly columns: readonly ColumnChange[];
      readonly why: string;
    }
  | {
      readonly do: 'delete';
      readonly table: string;
      readonly title: string;
      readonly uuid: string;
      /** Column of the parent row that refers to the row before its deletion; null for a row of a root table. */
      readonly place: RowPlace | null;
      readonly why: string;
    };

/**
 * Change of one column. `replace` writes the whole value. Every other change names elements of a set or keys of a map,
 * and leaves all others unchanged.
 */
export type ColumnChange =
  | { readonly column: string; readonly replace: WrittenValue; readonly before: ColumnValue }
  | { readonly column: string; readonly put: Readonly<Record<string, string>> }
  | { readonly column: string; readonly drop: readonly string[] }
  | { readonly column: string; readonly add: readonly WrittenAtom[] }
  | { readonly column: string; readonly remove: readonly Atom[] };

/** Condition that must hold when the changes are made; otherwise none of them is made (RFC 7047 section 5.2.6). */
export type RowGuard =
  /**
   * Condition that no row of a table has these values; for a map column, that no row has these keys with these values.
   */
  | {
      readonly guard: 'absent';
      readonly table: string;
      readonly where: Readonly<Record<string, Atom | Readonly<Record<string, string>>>>;
    }
  /** Condition that a row exists and that these columns of it have the values that were read. */
  | {
      readonly guard: 'unchanged';
      readonly table: string;
      readonly uuid: string;
      readonly columns: Readonly<Record<string, ColumnValue>>;
    };

/** Changes of one database that are made in one transaction, all or none. */
export interface RowPlan {
  readonly database: string;
  readonly guards: readonly RowGuard[];
  readonly changes: readonly RowChange[];
}
