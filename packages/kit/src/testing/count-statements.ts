import type { Kysely } from 'kysely'

/** Wraps a database to count its statements, including prepared ones but not `begin` and `commit`. */
export function countStatements<T>(db: Kysely<T>): { db: Kysely<T>; statements: () => number } {
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
