import { type Column, printable, recordLines, tableLines } from './table.ts'

/** Where a command writes: results to standard output, everything else to standard error. */
export interface Output {
  isJson: boolean
  isQuiet: boolean
  /** A list: a table for people, an array for scripts. */
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void
  /** One object: its fields for people, itself for scripts. */
  record(value: object, fields?: readonly (readonly [string, string])[]): void
  /** A result that is a line of its own; with `--json` the value instead. */
  result(text: string, value: unknown): void
  /** A result as it is, for other programs to read: a script, a file. */
  raw(text: string): void
  /** For a person who looks; not with `--quiet`. */
  note(text: string): void
  /** For a person who looks, also with `--quiet`. */
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
  /** Called before anything is written: a bar that is drawn ends there. */
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
    stderr.write(`${printable(text, true)}\n`)
  }
  const lines = (all: readonly string[]) => out(all.map((line) => `${line}\n`).join(''))
  const value = (given: unknown) => out(`${jsonText(given, isTerminal)}\n`)
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
      else lines([printable(text, true)])
    },
    raw: out,
    note(text) {
      if (!quiet) err(text)
    },
    warn: err,
  }
}

/** On one line for other programs, indented where somebody looks at it. Control characters stay escaped. */
export function jsonText(value: unknown, isForPeople = false): string {
  const text = JSON.stringify(value, null, isForPeople ? 2 : undefined) ?? 'null'
  return text.replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const fieldsOf = (given: object) =>
  Object.entries(given).map(([name, value]) => [name, shown(value)] as const)

/** A value of a field as a person reads it. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(shownIn).join(', ')
  if (typeof value === 'object') return shownIn(value)
  return typeof value === 'string' ? timeText(value) : String(value)
}

/** Of an object within another its name, where it has one. */
function shownIn(value: unknown): string {
  if (typeof value !== 'object' || value === null) return shown(value)
  if ('username' in value) return String(value.username)
  if ('slug' in value) return String(value.slug)
  if ('name' in value) return String(value.name)
  return JSON.stringify(value)
}

/** `2026-03-01 09:00:05Z`, to the second. */
const timeText = (text: string) =>
  text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, '$1 $2Z')

/** `12.3 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`
}
