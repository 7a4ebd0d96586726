import type { Fields, Translations } from '../dialect.ts'

/** Folders begin at the bucket there, with or without a slash. */
function withoutSlash({ prefix, ...query }: Fields): Fields {
  if (prefix === undefined) return query
  return { ...query, prefix: typeof prefix === 'string' ? prefix.replace(/^\/+/, '') : prefix }
}

export const storages: Translations = { listCloudStorageContent: { query: withoutSlash } }
