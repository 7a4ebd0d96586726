import type { Kysely } from 'kysely'

/** The same database, counting its statements, prepared ones too; those of `begin` and `commit` are none. */
export function counting<T>(db: Kysely<T>): { db: Kysely<T>; statements: () => number } {
  let statements = 0
  const watched = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements++
      return result
    },
  })
  return { db: watched, statements: () => statements }
}
