<<<<<<< HEAD
import type { Kysely } from 'kysely'

/** The same database, counting its statements; those of `begin` and `commit` are none. */
export function counting<T>(db: Kysely<T>): { db: Kysely<T>; statements: () => number } {
  let statements = 0
  const watched = db.withPlugin({
=======
import type { Kysely, KyselyPlugin } from 'kysely'

/** The same database, counting its statements; those that begin and end transactions do not count. */
export function counting<T>(db: Kysely<T>) {
  let statements = 0
  const plugin: KyselyPlugin = {
>>>>>>> 6cdb6dc (annotations-svc: folders import in one direction, no state nobody reads, a text a row)
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
<<<<<<< HEAD
  })
  return { db: watched, statements: () => statements }
=======
  }
  return { db: db.withPlugin(plugin), statements: () => statements }
>>>>>>> 6cdb6dc (annotations-svc: folders import in one direction, no state nobody reads, a text a row)
}
