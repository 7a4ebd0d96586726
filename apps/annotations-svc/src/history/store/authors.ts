import type { AuthorStatistics } from '@reticle/contracts/rest/statistics'
import type { BasicUser } from '@reticle/contracts/rest/users'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'

/** Columns of `authors as author` after a left join; null without an author or after the account was deleted. */
export const authorColumns = [
  'author.id as author_id',
  'author.username',
  'author.first_name',
  'author.last_name',
] as const

interface AuthorRow {
  author_id: number | null
  username: string | null
  first_name: string | null
  last_name: string | null
}

export function authorOf({
  author_id,
  username,
  first_name,
  last_name,
}: AuthorRow): BasicUser | null {
  if (author_id === null || username === null || first_name === null || last_name === null) {
    return null
  }
  return { url: `/users/${author_id}`, id: author_id, username, first_name, last_name }
}

/** Statistics by author, and the date of the oldest known change. */
export interface Authors {
  authors: AuthorStatistics[]
  authors_since: string | null
}

/**
 * Counts the changes of each author to jobs of some tasks, as far back as records exist; most active author first.
 */
export async function countAuthors(
  db: Kysely<AnnotationsDb>,
  { tasks, jobs }: { tasks: readonly number[]; jobs: readonly number[] },
): Promise<Authors> {
  const rows = await db
    .selectFrom('revisions as entry')
    .leftJoin('authors as author', 'author.id', 'entry.author_id')
    .select([
      ...authorColumns,
      sql<Date>`min(entry.created_date)`.as('since'),
      sql<number>`sum(entry.created)::bigint`.as('created'),
      sql<number>`sum(entry.updated)::bigint`.as('updated'),
      sql<number>`sum(entry.deleted)::bigint`.as('deleted'),
    ])
    .where(
      sql<SqlBool>`entry.task_id = any(${tasks}::int[]) and entry.job_id = any(${jobs}::int[])`,
    )
    .groupBy('author.id')
    .orderBy(sql`sum(entry.created + entry.updated + entry.deleted) desc, author.id`)
    .execute()
  const since = rows.map((row) => +row.since)
  return {
    authors: rows.map(({ created, updated, deleted, ...row }) => ({
      user: authorOf(row),
      created,
      updated,
      deleted,
    })),
    authors_since: since.length > 0 ? new Date(Math.min(...since)).toISOString() : null,
  }
}
