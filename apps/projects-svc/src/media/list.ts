import type { media } from '@reticle/contracts/api/media'
import type { OperationInput } from '@reticle/contracts/api/operation'
import type { FoundFrame } from '@reticle/contracts/rest/media'
import type { Principal } from '@reticle/contracts/rest/principal'
import { invalid } from '@reticle/kit/call/errors'
import { type ListPage, readListPage } from '@reticle/kit/list/page'
import { buildSearchConditions, termsOf } from '@reticle/kit/list/search'
import { type Kysely, sql } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { visibleTo } from '../tasks/list.ts'
import { namesPerRow } from './repo-names.ts'

type Query = OperationInput<typeof media.listFrames>

/** Minimum term length of the trigram index. */
const shortest = 3

/**
 * Lists a page of the frames whose names match the search, in tasks that the caller may see; newest task first.
 *
 * @throws DomainError invalid without a term, and for a term too short to search without a project or task
 */
export function listFoundFrames(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  query: Query,
): Promise<ListPage<FoundFrame>> {
  assertFindable(query)
  const { search, project_id, task_id } = query
  const holding = (column: string) => buildSearchConditions(search, [sql.ref(column)])
  const found = db
    .selectFrom('frame_names')
    .innerJoin('frames', (join) =>
      join
        .onRef('frames.task_id', '=', 'frame_names.task_id')
        .on('frames.frame', '>=', sql<number>`frame_names.first_frame`)
        .on('frames.frame', '<', sql<number>`frame_names.first_frame + ${namesPerRow}::int`),
    )
    .innerJoin('tasks', 'tasks.id', 'frame_names.task_id')
    .where('tasks.draft_id', 'is', null)
    .where(visibleTo(principal))
    .where(({ and }) => and([...holding('frame_names.names'), ...holding('frames.name')]))
    .$if(project_id !== undefined, (rows) =>
      rows.where('tasks.project_id', '=', Number(project_id)),
    )
    .$if(task_id !== undefined, (rows) => rows.where('frame_names.task_id', '=', Number(task_id)))
  const rows = found
    .select(['frames.task_id', jobIds.as('job_ids'), 'frames.frame', 'frames.name'])
    .orderBy('frames.task_id', 'desc')
    .orderBy('frames.frame')
  return readListPage(
    query,
    async () => {
      const counted = found.select((of) => of.fn.countAll<number>().as('count'))
      return (await counted.executeTakeFirstOrThrow()).count
    },
    (limit, offset) => rows.limit(limit).offset(offset).execute(),
  )
}

function assertFindable({ search, project_id, task_id }: Query): void {
  const terms = termsOf(search)
  if (terms.length === 0) throw invalid({ search: 'This field may not be blank.' })
  const isOwned = project_id !== undefined || task_id !== undefined
  if (!isOwned && terms.every((term) => [...term].length < shortest))
    throw invalid({
      search: `Give a term of at least ${shortest} characters, or a project_id or task_id beside shorter ones.`,
    })
}

/** A ground-truth job is listed only for the frames that it contains. */
const jobIds = sql<number[]>`array(
  select jobs.id from jobs
  where jobs.task_id = frames.task_id and frames.frame between jobs.start_frame and jobs.stop_frame
    and (jobs.type <> 'ground_truth' or exists (
      select from validation_frames
      where validation_frames.job_id = jobs.id and validation_frames.frame = frames.frame))
  order by jobs.id)`
