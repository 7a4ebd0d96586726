import { type Kysely, sql } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'

/** Ids of one request: they ascend, so that the order of ids is the order of the request (`perf-design.md` 3). */
export interface RequestIds {
  /** Makes sure of `count` ids; then `next` may be called as often. */
  reserve: (count: number) => Promise<void>
  next: () => number
  /** All that were reserved, as a multirange of PostgreSQL. */
  ranges: () => string
}

export interface IdBlocks {
  open: () => RequestIds
}

/** Ids from `next` up to but without `end`. */
interface Range {
  next: number
  end: number
}

const blockSize = 1000
/** A request that needs many ids fetches them ahead, at most so many at a time. */
const mostAhead = 32 * blockSize

/**
 * Ids that are unique in the whole installation, taken from the database a thousand at a time; what a request leaves over
 * is for the next one of this process.
 */
export function idBlocks(db: Kysely<AnnotationsDb>): IdBlocks {
  /** Ids nobody has reserved, ascending. */
  let spare: Range[] = []

  const open = (): RequestIds => {
    const mine: Range[] = []
    const reserved: string[] = []
    let total = 0
    let last = 0
    const available = () => mine.reduce((sum, { next, end }) => sum + end - next, 0)
    const takeSpare = (count: number) => {
      let missing = count
      for (const range of spare) {
        // Lower than what this request has already: the ids would not ascend.
        if (missing <= 0 || range.next < (mine.at(-1)?.end ?? last + 1)) continue
        const end = Math.min(range.end, range.next + missing)
        mine.push({ next: range.next, end })
        reserved.push(`[${range.next},${end})`)
        total += end - range.next
        missing -= end - range.next
        range.next = end
      }
      spare = spare.filter(({ next, end }) => next < end)
    }
    const reserve = async (count: number) => {
      takeSpare(count - available())
      const missing = count - available()
      if (missing <= 0) return
      const wanted = missing + Math.min(total, mostAhead)
      const blocks = await fetchBlocks(db, Math.ceil(wanted / blockSize))
      spare = [...spare, ...blocks].sort((a, b) => a.next - b.next)
      takeSpare(missing)
    }
    const next = () => {
      const range = mine.find((one) => one.next < one.end)
      if (!range) throw new Error('an id was taken that nobody reserved')
      last = range.next
      range.next += 1
      if (range.next === range.end) mine.splice(mine.indexOf(range), 1)
      return last
    }
    return { reserve, next, ranges: () => `{${reserved.join(',')}}` }
  }
  return { open }
}

async function fetchBlocks(db: Kysely<AnnotationsDb>, count: number): Promise<Range[]> {
  const { rows } = await sql<{ start: number }>`
    select nextval('id_blocks') as start from generate_series(1, ${count})`.execute(db)
  return rows.map(({ start }) => ({ next: start, end: start + blockSize }))
}
