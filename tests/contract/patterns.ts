import { createRequire } from 'node:module'
import type { checkSync } from 'recheck'
import { parseSync } from 'vite'
import { z } from 'zod'
import type { RepositoryFile } from './sources.ts'

/** The pure JavaScript build, because the main entry of the package would start a native program or Java. */
const recheck: { checkSync: typeof checkSync } = createRequire(import.meta.url)(
  'recheck/lib/browser.js',
)

/** A regular expression of the sources. */

export interface Pattern {
  /** The pattern as written: `/^a+$/i`. */
  text: string
  source: string
  flags: string
}

export interface LocatedPattern extends Pattern {
  /** File and line: `apps/gateway/src/operations/serve.ts:12`. */
  at: string
  path: string
}

/** A pattern that is built at run time. */
export interface DynamicPattern {
  text: string
  at: string
  path: string
}

export interface FilePatterns {
  constant: LocatedPattern[]
  dynamic: DynamicPattern[]
}

const node = z.object({ type: z.string(), start: z.number(), end: z.number() })
const literal = node.extend({ regex: z.object({ pattern: z.string(), flags: z.string() }) })
const argument = z.object({ type: z.literal('Literal'), value: z.string() })
const construction = node.extend({
  type: z.enum(['NewExpression', 'CallExpression']),
  callee: z.object({ type: z.literal('Identifier'), name: z.literal('RegExp') }),
  arguments: z.array(z.unknown()),
})

/** Reads the patterns of a file from its syntax tree. */
export function patternsOf({ path, text }: Pick<RepositoryFile, 'path' | 'text'>): FilePatterns {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed`)
  const found: FilePatterns = { constant: [], dynamic: [] }
  const placeOf = (start: number) => ({
    path,
    at: `${path}:${text.slice(0, start).split('\n').length}`,
  })
  const open: unknown[] = [program]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue
    const regex = literal.safeParse(one).data
    const made = construction.safeParse(one).data
    if (regex) {
      const { pattern: source, flags } = regex.regex
      found.constant.push({ ...patternOf(source, flags), ...placeOf(regex.start) })
    } else if (made) addMade(found, made, { text, ...placeOf(made.start) })
    for (const child of Object.values(one)) if (child !== null) open.push(child)
  }
  return found
}

const patternOf = (source: string, flags: string): Pattern => ({
  text: `/${source}/${flags}`,
  source,
  flags,
})

function addMade(
  found: FilePatterns,
  made: z.infer<typeof construction>,
  { text, ...location }: { text: string; at: string; path: string },
): void {
  const texts = z.array(argument).min(1).safeParse(made.arguments).data
  const [source, flags] = texts?.map(({ value }) => value) ?? []
  if (source === undefined)
    found.dynamic.push({
      text: text.slice(made.start, made.end).replaceAll(/\s+/g, ' '),
      ...location,
    })
  else found.constant.push({ ...patternOf(source, flags ?? ''), ...location })
}

export type PatternVerdict = 'linear' | 'not linear' | 'undecided'

/** Time limit for one pattern in milliseconds, long enough for a busy machine. */
const patience = 60_000

/** Creates a checker that remembers its verdicts. */
export function patternChecker(): (pattern: Pattern) => PatternVerdict {
  const verdicts = new Map<string, PatternVerdict>()
  return (pattern) => {
    const verdict = verdicts.get(pattern.text) ?? verdictOf(pattern)
    verdicts.set(pattern.text, verdict)
    return verdict
  }
}

function verdictOf(pattern: Pattern): PatternVerdict {
  if (isPlainlyLinear(pattern)) return 'linear'
  const { status } = recheck.checkSync(pattern.source, pattern.flags, {
    timeout: patience,
    attackTimeout: null,
    incubationTimeout: null,
    recallLimit: 0,
  })
  if (status === 'safe') return 'linear'
  return status === 'vulnerable' ? 'not linear' : 'undecided'
}

/**
 * Whether a pattern needs no search for attacks: it has no unlimited repetition, or starts at the beginning of the text
 * and repeats only one character. False for repeated groups, lookarounds and back-references.
 */
export function isPlainlyLinear({ source, flags }: Pattern): boolean {
  const marks = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x')
  if (/\)[*+{]|\(\?<?[=!]/.test(marks) || /\\(?:[1-9]|k<)/.test(source)) return false
  const repeats = marks.match(/[*+]|\{\d+,\}/g)?.length ?? 0
  if (repeats === 0) return true
  const isAnchored = flags.includes('y') || (source.startsWith('^') && !flags.includes('m'))
  return repeats === 1 && isAnchored && !hasAlternatives(marks)
}

/** Whether a `|` is outside of groups, where the anchor applies only to the first alternative. */
function hasAlternatives(marks: string): boolean {
  let depth = 0
  for (const mark of marks) {
    if (mark === '(') depth += 1
    else if (mark === ')') depth -= 1
    else if (mark === '|' && depth === 0) return true
  }
  return false
}
