import type { z } from 'zod'

type Issue = z.core.$ZodIssue

interface Tree {
  messages: string[]
  children: Map<PropertyKey, Tree>
}

/**
 * Converts issues to the body of the response: `{field: [text]}`; lists as `[{}, {field: [text]}]`; issues of the whole
 * value as `non_field_errors`; texts that name their field themselves (`params: { free_text: true }`) as a list. See
 * docs/spec/rest.md#errors.
 */
export function fieldErrors(issues: readonly Issue[]): { body: unknown; code: string } {
  const texts = issues.filter(isFreeText).map(({ message }) => message)
  if (texts.length > 0) return { body: texts, code: 'invalid' }
  const root = emptyTree()
  for (const issue of issues) for (const [path, text] of placed(issue)) plant(root, path, text)
  const body = root.children.size === 0 ? { non_field_errors: root.messages } : render(root)
  return { body, code: codeOf(issues[0]) }
}

const isFreeText = (issue: Issue) => issue.code === 'custom' && issue.params?.free_text === true

function codeOf(issue: Issue | undefined): string {
  if (issue?.code === 'unrecognized_keys') return 'unknown_field'
  return issue && tellsMissing(issue) ? 'required' : 'invalid'
}

const required = 'This field is required.'

/** Detects a missing value by its message, ours or that of zod, because a finished issue does not contain its input. */
const tellsMissing = ({ message }: Issue) =>
  message === required || message.endsWith('received undefined')

/** Assigns an unknown key to an error of that key instead of its object. */
function placed(issue: Issue): [PropertyKey[], string][] {
  if (issue.code !== 'unrecognized_keys') return [[issue.path, issue.message]]
  return issue.keys.map((key) => [[...issue.path, key], 'This field cannot be updated.'])
}

const emptyTree = (): Tree => ({ messages: [], children: new Map() })

function plant(root: Tree, path: PropertyKey[], text: string) {
  let at = root
  for (const key of path) {
    const next = at.children.get(key) ?? emptyTree()
    at.children.set(key, next)
    at = next
  }
  at.messages.push(text)
}

/** Formats `['shapes', 1, 'points']` as `shapes[1].points`. */
export function formatPath(path: readonly (string | number)[]): string {
  const text = path.map((key) => (/^\d+$/.test(String(key)) ? `[${key}]` : `.${key}`)).join('')
  return text.replace(/^\./, '')
}

function render({ messages, children }: Tree): unknown {
  const keys = [...children.keys()]
  if (keys.length === 0) return messages
  const shown = (key: PropertyKey) => render(children.get(key) ?? emptyTree())
  if (!keys.every((key) => typeof key === 'number')) {
    const fields = Object.fromEntries(keys.map((key) => [key, shown(key)]))
    return messages.length > 0 ? { ...fields, non_field_errors: messages } : fields
  }
  return Array.from({ length: Math.max(...keys) + 1 }, (_, index) =>
    children.has(index) ? shown(index) : {},
  )
}

const isMissing = (issue: { code?: string; input?: unknown }) =>
  issue.code === 'invalid_type' && issue.input === undefined

/** Words an issue as CVAT does, whose texts existing clients know; to be passed as `safeParse(data, { error: wording })`. */
export function formatIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (isMissing(issue)) return required
  if (issue.input === null) return 'This field may not be null.'
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(expectedType(issue), issue.input)
    case 'invalid_value':
      return `"${shown(issue.input)}" is not a valid choice.`
    case 'too_small':
      return bound(issue, 'minimum')
    case 'too_big':
      return bound(issue, 'maximum')
    default:
      return undefined
  }
}

/** Returns the expected type; for a text, `z.int()` reports that it expects a number. */
function expectedType({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>) {
  const def: unknown = inst?._zod.def
  const isFormat = typeof def === 'object' && def !== null && 'format' in def
  return expected === 'number' && isFormat ? 'int' : String(expected)
}

const typeTexts: Record<string, string> = {
  string: 'Not a valid string.',
  number: 'A valid number is required.',
  int: 'A valid integer is required.',
  boolean: 'Must be a valid boolean.',
}

function wrongType(expected: string, given: unknown): string {
  const isList = Array.isArray(given)
  const name = isList ? 'list' : typeof given === 'string' ? 'str' : typeof given
  if (expected === 'object' || expected === 'record')
    return `Invalid data. Expected a dictionary, but got ${name}.`
  if (expected === 'array') return `Expected a list of items but got type "${name}".`
  return typeTexts[expected] ?? 'Invalid value.'
}

function bound(
  issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>,
  which: 'minimum' | 'maximum',
): string {
  const limit = String(Reflect.get(issue, which))
  if (issue.origin === 'string') {
    if (which === 'maximum') return `Ensure this field has no more than ${limit} characters.`
    return limit === '1'
      ? 'This field may not be blank.'
      : `Ensure this field has at least ${limit} characters.`
  }
  const side = which === 'minimum' ? 'greater' : 'less'
  return `Ensure this value is ${side} than or equal to ${limit}.`
}

function shown(given: unknown): string {
  return typeof given === 'string' ? given.slice(0, 100) : typeof given
}
