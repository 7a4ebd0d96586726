/**
 * Returns the entity tag of a response. A proxy that compresses makes it weak, and a weak tag never matches
 * `If-Match`.
 */
export const etagOf = ({ headers }: Pick<Response, 'headers'>): string | undefined =>
  headers.get('etag')?.replace(/^W\//, '')
