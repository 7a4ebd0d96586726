import { type Row, rowColumns } from '@reticle/contracts/row-lines'
import { type Prepared, queryTexts } from '@reticle/kit/db/prepared'
import type { Kysely } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import { joinRows, type PieceRow } from './pieces.ts'
import { kinds, lineOf, originOf, tableOf, textRow } from './select.ts'
import type { Target } from './target.ts'

/** Up to so many objects are read by one prepared statement; a track counts as twenty (`perf-design.md` 4.2). */
const fewest = 2000

/** What one statement, hence one snapshot, knows of a target. */
export interface Few {
  /** By job. */
  revisions: Map<number, { revision: number; labels_revision: number; objects: number }>
  /** Nothing when there are too many. */
  rows: Row[] | undefined
}

/** Reads a small set whole; of a large one only its revisions. */
export async function readFew(db: Kysely<AnnotationsDb>, target: Target): Promise<Few> {
  const { kind, task_id, id } = target
  const values = kind === 'job' ? [task_id, id] : [task_id]
  const texts = await queryTexts(db, statements[kind], values)
  const revisions: Few['revisions'] = new Map()
  const rows: PieceRow[] = []
  let weight = 0
  for (const [, , , word, ...columns] of texts) {
    const found = kinds.find((one) => one === word)
    if (found) {
      rows.push({
        ...textRow(found, columns),
        origin: columns[width - 1] ?? `${found}${columns[2]}`,
      })
      continue
    }
    const [job, revision, labels_revision, objects, heavy] = columns.map(Number)
    weight += heavy ?? 0
    revisions.set(job ?? 0, {
      revision: revision ?? 0,
      labels_revision: labels_revision ?? 0,
      objects: objects ?? 0,
    })
  }
  return { revisions, rows: weight <= fewest ? await joined(rows) : undefined }
}

async function joined(rows: PieceRow[]): Promise<Row[]> {
  const all: Row[] = []
  async function* one() {
    yield rows
  }
  for await (const batch of joinRows(one())) all.push(...batch)
  return all
}

/** Columns of a shape, which has most; behind them stands the origin of a track's piece. */
const width = rowColumns.shape.length + 1

/** Rows of one kind, or of `jobs`, with all columns as text and two numbers to sort by. */
function branch(place: number, from: string, columns: readonly string[], sort: readonly string[]) {
  const texts = columns.map((one) => `(${one})::text`)
  return `select ${place} as place, ${sort.map((one) => `(${one})::bigint`).join(', ')},
    ${texts.join(', ')} from ${from}`
}

function statementOf(kind: Target['kind']): Prepared {
  const where = kind === 'job' ? 'task_id = $1 and job_id = $2' : 'task_id = $1'
  const size = 'tags + shapes + 20 * tracks'
  const isFew = `(select coalesce(sum(${size}), 0) from jobs where ${where}) <= ${fewest}`
  const filled = (columns: readonly string[], last = 'null') => [
    ...columns,
    ...Array.from({ length: width - columns.length }, () => 'null'),
    last,
  ]
  const job = ["'job'", 'job_id', 'revision', 'labels_revision', 'tags + shapes + tracks', size]
  const branches = [
    branch(-1, `jobs where ${where}`, filled(job), ['job_id', '0']),
    ...kinds.map((one, index) => {
      const isTrack = one === 'track'
      const from = `${tableOf[one]} where ${where} and ${isFew}`
      const columns = filled(lineOf[one], isTrack ? originOf : 'null')
      return branch(index, from, columns, isTrack ? [originOf, 'job_id'] : ['frame', 'id'])
    }),
  ]
  return {
    name: `annotations_of_${kind}`,
    text: `${branches.join('\nunion all\n')}\norder by 1, 2, 3`,
  }
}

const statements = { task: statementOf('task'), job: statementOf('job') }
