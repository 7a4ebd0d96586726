import type { AnnotationField } from '@reticle/contracts/rest/annotation-query'
import { shapeTypes, sources } from '@reticle/contracts/rest/annotations'
import type { RowKind } from '@reticle/contracts/row-lines'
import { conditionOf } from '@reticle/kit/list/filter'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AnnotationTarget } from '../../targets/target.ts'
import type { AnnotationQuery } from '../annotation-query.ts'
import { countFrames, framesOf, hasSome, type Spans } from '../spans.ts'

type Condition = RawBuilder<SqlBool>

/**
 * Returns SQL conditions for rows of a target that a query selects. For tracks they are only a first filter:
 * `tracks.ts` also checks the keyframes. Frames and labels can be checked in each job; `filter` concerns whole
 * objects and is applied after jobs are merged.
 */
export function conditionsOn(
  kind: RowKind,
  target: AnnotationTarget,
  selection: AnnotationQuery,
): Condition[] {
  const { frames, label_id, filter } = selection
  return [
    ...(frames ? (kind === 'track' ? spanned(target, frames) : standing(frames)) : []),
    ...(label_id.length > 0 ? [sql<SqlBool>`label_id = any(${label_id})`] : []),
    ...(filter && kind !== 'track' ? [conditionOf(filter, columnsOf(kind))] : []),
  ]
}

/** A longer list would be looked up frame by frame, so a range is used. */
const mostListed = 1000

function standing(frames: Spans): Condition[] {
  if (countFrames(frames) <= mostListed) return [sql`frame = any(${framesOf(frames)})`]
  const within = sql<SqlBool>`frame between ${frames[0]?.first} and ${frames.at(-1)?.last}`
  if (frames.length === 1) return [within]
  const texts = frames.map(({ first, last }) => `[${first},${last}]`)
  return [within, sql`frame <@ ${`{${texts.join()}}`}::int4multirange`]
}

/** Returns the ids of the jobs that have one of the frames. */
export const jobsAt = ({ jobs }: AnnotationTarget, frames: Spans) =>
  jobs.filter((one) => hasSome(frames, one.start_frame, one.stop_frame)).map((one) => one.id)

/** A row of a track in several jobs does not show the whole range of the track. */
function spanned({ jobs }: AnnotationTarget, frames: Spans): Condition[] {
  const [first, last] = [frames[0], frames.at(-1)]
  if (!first || !last) return [sql`false`]
  if (jobs.length > 1) return []
  return [sql`start_frame <= ${last.last}`, sql`stop_frame >= ${first.first}`]
}

/** Returns SQL that maps the position in a column to its word. */
export function wordOf(column: string, words: readonly string[]): string {
  return `(array[${words.map((one) => `'${one}'`).join()}])[${column} + 1]`
}

/** Words are compared by code points, whatever the collation of the database. */
const worded = (column: string, words: readonly string[]) =>
  `(${wordOf(column, words)}) collate "C"`

const shared = {
  id: 'id::numeric', // numeric, because it may be compared with fractions
  frame: 'frame',
  label_id: 'label_id',
  group: '"group"',
  source: worded('source', sources),
}

const columns: Record<'tag' | 'shape', Record<AnnotationField, string>> = {
  tag: {
    ...shared,
    type: 'null::text',
    score: 'null::float8',
    occluded: 'null::boolean',
    outside: 'null::boolean',
    z_order: 'null::integer',
    rotation: 'null::float8',
  },
  shape: {
    ...shared,
    type: worded('type', shapeTypes),
    score: 'score',
    occluded: 'occluded',
    outside: 'outside',
    z_order: 'z_order',
    rotation: 'rotation',
  },
}

function columnsOf(kind: 'tag' | 'shape') {
  const byName = new Map<string, string>(Object.entries(columns[kind]))
  return (name: string) => sql.raw(byName.get(name) ?? 'null')
}
