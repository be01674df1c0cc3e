/** A database of OVSDB as plain JSON: what is there, and what shall become of it. */

/** A column of one value; of a set (an optional one, too); of a map. References are UUIDs, as text. */
export type ColumnValue = Atom | readonly Atom[] | Readonly<Record<string, string>>;

export type Atom = string | number | boolean;

/** A row as it is: `_uuid` and those of its columns that were read. */
export interface DatabaseRow {
  readonly _uuid: string;
  readonly [column: string]: ColumnValue;
}

/** How a column is written on the wire; only the schema knows (RFC 7047 section 3.2). */
export interface ColumnShape {
  readonly kind: 'one' | 'set' | 'map';
  /** Its values, or elements, are references to rows. */
  readonly isReference: boolean;
}

/** What a server's schema has, by table and column. A release that is older lacks some. */
export type DatabaseShape = Readonly<Record<string, Readonly<Record<string, ColumnShape>>>>;

/** The tables that were read of one database. */
export interface DatabaseRows {
  readonly database: string;
  readonly shape: DatabaseShape;
  readonly tables: Readonly<Record<string, readonly DatabaseRow[]>>;
}

/** A row of the same plan that is inserted, by its name there. */
export interface NewRow {
  readonly newRow: string;
}

/** A row that is there or will be. */
export type RowReference = string | NewRow;

export type WrittenAtom = Atom | NewRow;

/** What is written into a column. */
export type WrittenValue = WrittenAtom | readonly WrittenAtom[] | Readonly<Record<string, string>>;

/** A set column of another row in which a row is. */
export interface RowPlace {
  readonly table: string;
  readonly row: RowReference;
  readonly column: string;
}

/** One change of one row, with its reason. `title` names it for people: `Logical_Switch join`. */
export type RowChange =
  | {
      readonly do: 'insert';
      readonly table: string;
      readonly title: string;
      /** By which other changes of the plan refer to it. */
      readonly name: string;
      readonly row: Readonly<Record<string, WrittenValue>>;
      /** null: a row of its own right. */
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
      /** What it is taken out of; null: a row of its own right. */
      readonly place: RowPlace | null;
      readonly why: string;
    };

/** One column's change. What it does not name stays, also within a set or map. */
export type ColumnChange =
  | { readonly column: string; readonly replace: WrittenValue; readonly before: ColumnValue }
  | { readonly column: string; readonly put: Readonly<Record<string, string>> }
  | { readonly column: string; readonly drop: readonly string[] }
  | { readonly column: string; readonly add: readonly WrittenAtom[] }
  | { readonly column: string; readonly remove: readonly Atom[] };

/** What must hold when the changes are made, or none of them is (RFC 7047 section 5.2.6). */
export type RowGuard =
  /** No row of the table has these values; of a map, no row has these keys. */
  | {
      readonly guard: 'absent';
      readonly table: string;
      readonly where: Readonly<Record<string, Atom | Readonly<Record<string, string>>>>;
    }
  /** The row is there, and these columns of it are as they were read. */
  | {
      readonly guard: 'unchanged';
      readonly table: string;
      readonly uuid: string;
      readonly columns: Readonly<Record<string, ColumnValue>>;
    };

/** Changes that are made in one transaction of one database, or not at all. */
export interface RowPlan {
  readonly database: string;
  readonly guards: readonly RowGuard[];
  readonly changes: readonly RowChange[];
}
