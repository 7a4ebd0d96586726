/** A proxy that compresses makes a tag weak, and a weak one never matches `If-Match`. */
export const etagOf = ({ headers }: Pick<Response, 'headers'>): string | undefined =>
  headers.get('etag')?.replace(/^W\//, '')
