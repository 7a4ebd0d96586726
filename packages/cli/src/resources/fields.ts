import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { misused } from '../failure.ts'
import type { Session } from '../session.ts'
import { askSecret } from '../terminal/ask.ts'
import { findUser } from './find-user.ts'

/** Field of a request body, and the option that sets it. */
export interface Field<Key extends string = string> {
  key: Key
  /** Flags of the option, `--bug-tracker <url>`, or `<name>` for an argument. */
  flags: string
  about: string
  /**
   * Conversion of the text. `list` may be repeated; `json` is JSON or the name of a JSON file; `labels` is the same
   * or a list of names; `user` is a name or id; `secret` is the name of a file, or `-` to be prompted, and never an
   * argument. `none` unsets numbers and users.
   */
  kind?: 'text' | 'number' | 'flag' | 'json' | 'list' | 'labels' | 'user' | 'secret'
  choices?: readonly string[]
  /** Whether the command requires it. */
  required?: boolean
}

export type Fields<Body> = readonly Field<keyof Body & string>[]

/** Options as commander passes them to an action. */
export type Options = Readonly<Record<string, unknown>>

export function addFields(command: Command, fields: readonly Field[]): void {
  for (const { flags, about, kind, choices, required = false } of fields) {
    if (flags.startsWith('<')) {
      command.argument(flags, about)
      continue
    }
    const option = new Option(flags, aboutField(about, kind)).makeOptionMandatory(required)
    if (choices) option.choices([...choices])
    if (kind === 'list' || kind === 'labels') option.argParser(gathered)
    if (kind === 'flag') option.choices(['true', 'false'])
    command.addOption(option)
  }
}

const aboutField = (about: string, kind: Field['kind']) => {
  if (kind === 'secret') return `${about}: a file that holds it, or - to be asked`
  return kind === 'list' ? `${about}; may be given several times` : about
}

const gathered = (value: string, former: unknown) => [
  ...(Array.isArray(former) ? former : []),
  value,
]

/**
 * Builds a request body from the options that are set.
 *
 * @param given values of arguments by the keys of their fields
 */
export function bodyOf<Body>(
  fields: Fields<Body>,
  options: Options,
  session: Session,
  given?: Readonly<Record<string, string>>,
): Promise<Body>
export async function bodyOf(
  fields: readonly Field[],
  options: Options,
  session: Session,
  given: Readonly<Record<string, string>> = {},
): Promise<object> {
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    const value = field.flags.startsWith('<') ? given[field.key] : options[optionName(field)]
    if (value !== undefined) body[field.key] = await readValue(field, value, session)
  }
  return body
}

/** Returns the name that commander uses for an option: `--bug-tracker` is `bugTracker`. */
const optionName = ({ flags }: Field) => new Option(flags).attributeName()

async function readValue(field: Field, value: unknown, session: Session): Promise<unknown> {
  const { kind = 'text', flags } = field
  if (kind === 'list') return value
  if (kind === 'labels') return labelsOf(value)
  const text = String(value)
  if (kind === 'number') return numberOf(flags, text)
  if (kind === 'flag') return text === 'true'
  if (kind === 'json') return jsonOf(flags, text)
  if (kind === 'user') return findUser(session, text)
  return kind === 'secret' ? secretOf(field, text, session) : text
}

function numberOf(flags: string, text: string): number | null {
  if (text === 'none') return null
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value))
    throw misused(`${flags}: "${text}" is no number`)
  return value
}

/** Parses JSON text, or reads it from the named file. */
async function jsonOf(flags: string, text: string): Promise<unknown> {
  const isInline = /^\s*[[{"]/.test(text)
  try {
    return JSON.parse(isInline ? text : await readFile(text, 'utf8'))
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw misused(`${flags}: ${thrown.message}`)
    throw thrown
  }
}

/** Parses labels: names, or one label or a list of labels as JSON. */
async function labelsOf(given: unknown): Promise<unknown> {
  const texts: unknown[] = Array.isArray(given) ? given : [given]
  const lists = await Promise.all(
    texts.map((one) => {
      const text = String(one)
      const isJson = /^\s*[[{]/.test(text) || /\.json$/i.test(text)
      return isJson ? jsonOf('--label', text) : [{ name: text }]
    }),
  )
  return lists.flat()
}

async function secretOf({ flags, about }: Field, text: string, { around }: Session) {
  if (text === '-') return askSecret(around, about)
  const value = (await readFile(text, 'utf8')).replace(/\r?\n$/, '')
  if (value === '') throw misused(`${flags}: ${text} is empty`)
  return value
}
