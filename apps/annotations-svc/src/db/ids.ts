import { type Kysely, sql } from 'kysely'
import type { AnnotationsDb } from './schema.ts'

/** Ids of one request. They ascend, so that the order of ids is the order of the request. */
export interface RequestIds {
  /** Reserves `count` ids for as many calls of `next`. */
  reserve: (count: number) => Promise<void>
  next: () => number
  /** All reserved ids, as a PostgreSQL multirange. */
  ranges: () => string
}

export interface IdBlocks {
  open: () => RequestIds
}

/** Ids from `next` to before `end`. */
interface Range {
  next: number
  end: number
}

const blockSize = 1000
/** Maximum number of ids that a request fetches ahead at a time. */
const mostAhead = 32 * blockSize

/**
 * Returns a source of ids that are unique in the installation. It takes blocks of a thousand from the database; the
 * rest of a request is used by the next one of this process.
 */
export function idBlocks(db: Kysely<AnnotationsDb>): IdBlocks {
  /** Free ids, ascending. */
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
        // Ids below those that this request already has would not ascend.
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
      const amount = missing + Math.min(total, mostAhead)
      const blocks = await fetchBlocks(db, Math.ceil(amount / blockSize))
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
