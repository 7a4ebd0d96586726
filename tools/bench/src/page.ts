import { type BenchFigure, cellsOf, findTable, headings, type Table } from './table.ts'

/** Figures of one run. */
export interface BenchRun {
  /** `embedded` or `split`. */
  mode: string
  figures: readonly BenchFigure[]
  /** Whether the run measured everything except figures that must be named; otherwise missing rows stay. */
  isWhole: boolean
  /** Conditions of the measurement. */
  note: string
}

/** Figures measured only when named; a whole run does not change them. */
const unlessNamed: ReadonlySet<string> = new Set([
  'A1',
  'P14',
  'formats',
  'images',
  'export',
  'import',
])

/**
 * Returns `docs/performance.md` with these figures in its tables, which are between comments with their names. Rows of
 * other runs stay, except for those of the same figure.
 */
export function pageWith(page: string, run: BenchRun): string {
  const places = new Map(run.figures.map((figure) => [figure, findTable(figure, run.mode)]))
  const tables: Table[] = ['targets', 'formats', run.mode === 'split' ? 'split' : 'embedded']
  return tables.reduce((text, table) => {
    const own = run.figures.filter((figure) => places.get(figure) === table)
    const change = (old: string) => tableWith(old, table, own, run)
    return withPart(text, table, change)
  }, page)
}

/** @throws Error if the page does not have the part */
function withPart(page: string, name: string, change: (old: string) => string): string {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`]
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no part ${begin}...${end}`)
  const start = from + begin.length
  return page.slice(0, start) + change(page.slice(start, to)) + page.slice(to)
}

function tableWith(
  old: string,
  table: Table,
  figures: readonly BenchFigure[],
  { mode, isWhole, note }: BenchRun,
): string {
  const rows = new Map(rowsIn(old).map((cells) => [keyOf(table, cells), cells]))
  if (isWhole) for (const [key, cells] of rows) if (isOutdated(table, cells, mode)) rows.delete(key)
  for (const figure of figures) {
    const cells = cellsOf(figure, mode)
    rows.set(keyOf(table, cells), cells)
  }
  const sorted = [...rows.values()]
  if (table === 'targets') sorted.sort((one, other) => numberOf(one) - numberOf(other))
  const isOfMode = table === mode
  const notice =
    isOfMode && (isWhole || !old.includes('|')) ? note : (old.split('|', 1)[0] ?? '').trim()
  return `${isOfMode && notice ? `${notice}\n\n` : ''}${[...headings[table], ...sorted].map(lineOf).join('\n')}\n`
}

type Cells = readonly string[]

const lineOf = (cells: Cells) => `| ${cells.join(' | ')} |`

/** Rows of a table without its heading. */
const rowsIn = (text: string): Cells[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '))

/** Identity of a row, independent of its result. */
const keyOf = (table: Table, cells: Cells) =>
  cells.slice(0, { targets: 3, formats: 1, embedded: 2, split: 2 }[table]).join(' | ')

/** Whether a whole run of this mode would have measured the row again if it still existed. */
function isOutdated(table: Table, [id = '', ofMode]: Cells, mode: string): boolean {
  if (table === 'formats' || unlessNamed.has(id)) return false
  return table !== 'targets' || ofMode === mode
}

/** Sorts by the number of the target, the embedded mode first. */
const numberOf = ([id = '', mode]: Cells) => Number(id.slice(1)) + (mode === 'split' ? 0.5 : 0)
