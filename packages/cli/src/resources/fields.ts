import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { usageFailure } from '../failures/failure.ts'
import type { CommandSession } from '../session/command-session.ts'
import { promptSecret } from '../terminal/prompts.ts'
import { findUser } from './find-user.ts'

/** Field of a request body, and the option that sets it. */
export interface BodyField<Key extends string = string> {
  key: Key
  /** Flags of the option, `--bug-tracker <url>`, or `<name>` for an argument. */
  flags: string
  description: string
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

export type BodyFields<Body> = readonly BodyField<keyof Body & string>[]

/** Options as commander passes them to an action. */
export type CommandOptions = Readonly<Record<string, unknown>>

export function addFields(command: Command, fields: readonly BodyField[]): void {
  for (const { flags, description, kind, choices, required = false } of fields) {
    if (flags.startsWith('<')) {
      command.argument(flags, description)
      continue
    }
    const option = new Option(flags, describeField(description, kind)).makeOptionMandatory(required)
    if (choices) option.choices([...choices])
    if (kind === 'list' || kind === 'labels') option.argParser(appendValue)
    if (kind === 'flag') option.choices(['true', 'false'])
    command.addOption(option)
  }
}

const describeField = (description: string, kind: BodyField['kind']) => {
  if (kind === 'secret') return `${description}: a file that holds it, or - to be asked`
  return kind === 'list' ? `${description}; may be given several times` : description
}

const appendValue = (value: string, former: unknown) => [
  ...(Array.isArray(former) ? former : []),
  value,
]

/**
 * Builds a request body from the options that are set.
 *
 * @param given values of arguments by the keys of their fields
 */
export function bodyOf<Body>(
  fields: BodyFields<Body>,
  options: CommandOptions,
  session: CommandSession,
  given?: Readonly<Record<string, string>>,
): Promise<Body>
export async function bodyOf(
  fields: readonly BodyField[],
  options: CommandOptions,
  session: CommandSession,
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
const optionName = ({ flags }: BodyField) => new Option(flags).attributeName()

async function readValue(
  field: BodyField,
  value: unknown,
  session: CommandSession,
): Promise<unknown> {
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
    throw usageFailure(`${flags}: "${text}" is no number`)
  return value
}

/** Parses JSON text, or reads it from the named file. */
async function jsonOf(flags: string, text: string): Promise<unknown> {
  const isInline = /^\s*[[{"]/.test(text)
  try {
    return JSON.parse(isInline ? text : await readFile(text, 'utf8'))
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw usageFailure(`${flags}: ${thrown.message}`)
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

async function secretOf(
  { flags, description }: BodyField,
  text: string,
  { context }: CommandSession,
) {
  if (text === '-') return promptSecret(context, description)
  const value = (await readFile(text, 'utf8')).replace(/\r?\n$/, '')
  if (value === '') throw usageFailure(`${flags}: ${text} is empty`)
  return value
}
