import type { RecordFields, Translations } from '../dialect.ts'

/** Removes a leading slash: in CVAT folders start at the bucket, with or without a slash. */
function withoutSlash({ prefix, ...query }: RecordFields): RecordFields {
  if (prefix === undefined) return query
  return { ...query, prefix: typeof prefix === 'string' ? prefix.replace(/^\/+/, '') : prefix }
}

export const storages: Translations = { listCloudStorageContent: { query: withoutSlash } }
