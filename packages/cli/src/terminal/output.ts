import { recordLines, replaceControls, type TableColumn, tableLines } from './table.ts'

/** Output of a command: results to standard output, everything else to standard error. */
export interface Output {
  isJson: boolean
  isQuiet: boolean
  /** Prints a list: a table, or a JSON array with `--json`. */
  table<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): void
  /** Prints one object: its fields, or JSON with `--json`. */
  record(value: object, fields?: readonly (readonly [string, string])[]): void
  /** Prints a result as one line; with `--json` the value instead. */
  result(text: string, value: unknown): void
  /** Prints a result unchanged, for other programs: a script or a file. */
  raw(text: string): void
  /** Prints a note for the user, unless `--quiet` is set. */
  note(text: string): void
  /** Prints a warning for the user, also with `--quiet`. */
  warn(text: string): void
}

export interface Stream {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

export interface OutputOptions {
  json?: boolean | undefined
  quiet?: boolean | undefined
  noColor?: boolean
  /** Called before anything is written, to end a progress bar. */
  before?: () => void
}

export function createOutput(
  { json = false, quiet = false, noColor = false, before = () => undefined }: OutputOptions,
  stdout: Stream,
  stderr: Stream,
): Output {
  const isTerminal = stdout.isTTY === true
  const bold = (text: string) => (isTerminal && !noColor ? `\u001b[1m${text}\u001b[22m` : text)
  const out = (text: string) => {
    before()
    stdout.write(text)
  }
  const err = (text: string) => {
    before()
    stderr.write(`${replaceControls(text, true)}\n`)
  }
  const lines = (all: readonly string[]) => out(all.map((line) => `${line}\n`).join(''))
  const value = (given: unknown) => out(`${formatJson(given, isTerminal)}\n`)
  return {
    isJson: json,
    isQuiet: quiet,
    table(rows, columns) {
      if (json) return void value(rows)
      const width = isTerminal ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY
      const [title = '', ...rest] = tableLines(rows, columns, width)
      lines([bold(title), ...rest])
    },
    record(given, fields = fieldsOf(given)) {
      if (json) value(given)
      else lines(recordLines(fields))
    },
    result(text, given) {
      if (json) value(given)
      else lines([replaceControls(text, true)])
    },
    raw: out,
    note(text) {
      if (!quiet) err(text)
    },
    warn: err,
  }
}

/** Returns JSON on one line, or indented for a terminal. Control characters are escaped. */
export function formatJson(value: unknown, isForPeople = false): string {
  const text = JSON.stringify(value, null, isForPeople ? 2 : undefined) ?? 'null'
  return text.replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const fieldsOf = (given: object) =>
  Object.entries(given).map(([name, value]) => [name, formatValue(value)] as const)

/** Formats a field value for the user. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(formatNested).join(', ')
  if (typeof value === 'object') return formatNested(value)
  return typeof value === 'string' ? timeText(value) : String(value)
}

/** Formats a nested object by its name, if it has one. */
function formatNested(value: unknown): string {
  if (typeof value !== 'object' || value === null) return formatValue(value)
  if ('username' in value) return String(value.username)
  if ('slug' in value) return String(value.slug)
  if ('name' in value) return String(value.name)
  return JSON.stringify(value)
}

/** Formats a time to the second: `2026-03-01 09:00:05Z`. */
const timeText = (text: string) =>
  text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, '$1 $2Z')

/** Formats a size: `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`
}
