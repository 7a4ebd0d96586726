import type { AnnotationField } from '@reticle/contracts/rest/annotation-query'
import { shapeTypes, sources } from '@reticle/contracts/rest/annotations'
import type { RowKind } from '@reticle/contracts/row-lines'
import { conditionOf } from '@reticle/kit/list/filter'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Target } from '../targets/target.ts'
import type { Asked } from './asked.ts'
import { countFrames, framesOf, hasSome, type Spans } from './spans.ts'

type Condition = RawBuilder<SqlBool>

/**
 * What rows of a kind must fulfil to be asked for, beside being rows of the target. On tracks that is less than what is
 * asked: `tracks.ts` looks at their keyframes. Frames and labels may be looked at in each job alone; `filter` is about
 * whole objects, and comes after jobs are put together.
 */
export function conditionsOn(kind: RowKind, target: Target, asked: Asked): Condition[] {
  const { frames, label_id, filter } = asked
  return [
    ...(frames ? (kind === 'track' ? spanned(target, frames) : standing(frames)) : []),
    ...(label_id.length > 0 ? [sql<SqlBool>`label_id = any(${label_id})`] : []),
    ...(filter && kind !== 'track' ? [conditionOf(filter, columnsOf(kind))] : []),
  ]
}

/** More than these are not listed: the server would look them up one by one. */
const mostListed = 1000

function standing(frames: Spans): Condition[] {
  if (countFrames(frames) <= mostListed) return [sql`frame = any(${framesOf(frames)})`]
  const within = sql<SqlBool>`frame between ${frames[0]?.first} and ${frames.at(-1)?.last}`
  if (frames.length === 1) return [within]
  const texts = frames.map(({ first, last }) => `[${first},${last}]`)
  return [within, sql`frame <@ ${`{${texts.join()}}`}::int4multirange`]
}

/** Ids of the jobs of a target that have one of the frames. */
export const jobsAt = ({ jobs }: Target, frames: Spans) =>
  jobs.filter((one) => hasSome(frames, one.start_frame, one.stop_frame)).map((one) => one.id)

/** Rows of a track that is in several jobs say too little alone. */
function spanned({ jobs }: Target, frames: Spans): Condition[] {
  const [first, last] = [frames[0], frames.at(-1)]
  if (!first || !last) return [sql`false`]
  if (jobs.length > 1) return []
  return [sql`start_frame <= ${last.last}`, sql`stop_frame >= ${first.first}`]
}

/** SQL of the word that a column has the position of. */
export function wordOf(column: string, words: readonly string[]): string {
  return `(array[${words.map((one) => `'${one}'`).join()}])[${column} + 1]`
}

/** Words are compared by the order of their letters, whatever the database has. */
const worded = (column: string, words: readonly string[]) =>
  `(${wordOf(column, words)}) collate "C"`

const shared = {
  id: 'id::numeric', // may be compared with fractions
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
