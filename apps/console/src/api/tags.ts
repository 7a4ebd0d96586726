/** Entity tags as the service makes them, for `If-Match` of what was read in a list (`docs/annotations.md`). */

/** Of the annotations of a job. */
export const annotationsTag = (job: number, revision: number) => `"a${job}-${revision}"`

/** Of a record: its id, and when it was changed last in milliseconds since 1970, in base 36. */
export const recordTag = ({ id, updated_date }: { id: number; updated_date: string }) =>
  `"${id}-${new Date(updated_date).getTime().toString(36)}"`
