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

/**
 * Ids that are unique in the whole installation, taken from the database a thousand at a time; what a request leaves over
 * is for the next one of this process.
 */
export function idBlocks(db: Kysely<AnnotationsDb>): IdBlocks {
  let spare: Range = { next: 0, end: 0 }

  const open = (): RequestIds => {
    const mine: Range[] = []
    const reserved: string[] = []
    let last = 0
    const add = (range: Range) => {
      mine.push(range)
      reserved.push(`[${range.next},${range.end})`)
    }
    const available = () => mine.reduce((sum, { next, end }) => sum + end - next, 0)
    const takeSpare = (count: number) => {
      // Lower than what this request has already: the ids would not ascend.
      const least = mine.at(-1)?.end ?? last + 1
      if (spare.next < least || spare.next === spare.end) return
      const end = Math.min(spare.end, spare.next + count)
      add({ next: spare.next, end })
      spare = { next: end, end: spare.end }
    }
    const reserve = async (count: number) => {
      if (available() < count) takeSpare(count - available())
      const missing = count - available()
      if (missing <= 0) return
      const blocks = await fetchBlocks(db, Math.ceil(missing / blockSize))
      const lastBlock = blocks.at(-1)
      if (!lastBlock) throw new Error('the database gave no block of ids')
      const unused = blocks.length * blockSize - missing
      lastBlock.end -= unused
      blocks.forEach(add)
      if (spare.next === spare.end) spare = { next: lastBlock.end, end: lastBlock.end + unused }
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
  return rows
    .map(({ start }) => ({ next: start, end: start + blockSize }))
    .sort((a, b) => a.next - b.next)
}
