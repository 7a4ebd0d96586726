import type { Input } from '@reticle/contracts/api/operation'
import type { projects } from '@reticle/contracts/api/projects'
import type { Principal } from '@reticle/contracts/principal'
import { paged } from '@reticle/kit/list/page'
import { readSort } from '@reticle/kit/list/sort'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { equalTo, orderedBy } from '../list-query.ts'

type Query = Input<(typeof projects)['listProjects']>

const filters = {
  id: 'projects.id',
  name: 'projects.name',
  owner: 'owner.username',
  assignee: 'assignee.username',
  status: 'projects.status',
} as const
const sorts = {
  ...filters,
  created_date: 'projects.created_date',
  updated_date: 'projects.updated_date',
} as const
const sortNames = ['name', 'owner', 'assignee', 'status', 'created_date', 'updated_date'] as const

/** A page of the projects that the caller may see: `spec/api-workspace.md` 1.5, 1.7. */
export function listProjects(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<{ count: number; results: ProjectRow[] }> {
  const chosen = db
    .selectFrom('projects')
    .leftJoin('users as owner', 'owner.id', 'projects.owner_id')
    .leftJoin('users as assignee', 'assignee.id', 'projects.assignee_id')
    .where(visibleTo(principal))
    .where(equalTo(filters, query))
  const order = orderedBy(readSort(query.sort, sortNames, '-id'), sorts)
  return paged(
    query,
    async () => {
      const { count } = await chosen
        .select(sql<number>`count(*)::int`.as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
    (limit, offset) =>
      chosen.selectAll('projects').orderBy(order).limit(limit).offset(offset).execute(),
  )
}

/** Project staff; administrators see everything. */
function visibleTo({ user_id, role }: Principal) {
  if (role === 'admin') return sql<SqlBool>`true`
  return sql<SqlBool>`projects.organization_id is null
    and ${user_id} in (projects.owner_id, projects.assignee_id)`
}
