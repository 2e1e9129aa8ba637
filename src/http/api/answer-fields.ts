import type {Shape} from '../../values/shape.ts';

interface Told {
  /** What it is, for people. */
  readonly sentence: string;
  /** Whether an answer may be without it. */
  readonly isOptional?: true;
}

/** A single value, or a list of texts. */
export interface ValueField extends Told {
  readonly shape: Shape;
  /** For the descriptions. */
  readonly example: unknown;
  readonly isNullable?: boolean;
}

/** A list of objects. Each has the fields of one of the alternatives. */
interface RowsField extends Told {
  readonly rows: readonly AnswerFields[];
  readonly min?: number;
  readonly max?: number;
}

/** Lists of objects by name. */
interface ListsField extends Told {
  readonly lists: AnswerFields;
  readonly name: Shape;
  /** A name, for the descriptions. */
  readonly example: string;
}

/** An object with the fields of one of the alternatives. */
interface ObjectField extends Told {
  readonly object: readonly AnswerFields[];
  readonly isNullable?: true;
}

/** What is known of a field in the `data` of an answer. */
export type AnswerField = ValueField | RowsField | ListsField | ObjectField;

/** Fields by their names, in their order. */
export type AnswerFields = Readonly<Record<string, AnswerField>>;

/** By the names of fields. */
const codeNames = new Map<string, string>();

/** The name of a field or a parameter in code: that of `url_id` is `urlId`. */
export function codeNameOf(field: string): string {
  let name = codeNames.get(field);
  if (name === undefined) {
    name = field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    codeNames.set(field, name);
  }
  return name;
}
