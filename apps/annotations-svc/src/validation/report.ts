import { DomainError } from '@reticle/kit'
import { formatPath } from '@reticle/kit/call/validation'

/** Path in the body: `['shapes', 3, 'points', 0]`. */
export type FieldPath = readonly (string | number)[]

export interface Problem {
  path: FieldPath
  /** Stable error code (docs/spec/annotations.md#validation). */
  code: string
  text: string
  /** Whether the contract requires the text as the whole body, a list with this text, instead of at its field. */
  isWhole: boolean
}

/** Problems of the objects read so far. Readers push their position to `path` and pop it again. */
export interface ValidationReport {
  path: (string | number)[]
  problems: Problem[]
  /** Count of point coordinates so far, for the limit of a request. */
  numbers: number
}

/** Maximum number of reported problems, which keeps responses small. */
const mostProblems = 100

/**
 * Highest index for aligned lists. Beyond it the response names places by text, since an aligned list could be longer
 * than the body.
 */
const mostAligned = 1000

export const createValidationReport = (): ValidationReport => ({
  path: [],
  problems: [],
  numbers: 0,
})

export function reportProblem(
  report: ValidationReport,
  code: string,
  text: string,
  ...rest: FieldPath
): void {
  add(report, { path: [...report.path, ...rest], code, text, isWhole: false })
}

/** Adds a problem that existing clients expect as `["text"]`, without a place. */
export function reportObjectProblem(report: ValidationReport, code: string, text: string): void {
  add(report, { path: [...report.path], code, text, isWhole: true })
}

/** Returns whether no further problem will be reported, so that checks can stop. */
export const isFull = ({ problems }: ValidationReport): boolean => problems.length >= mostProblems

function add({ problems }: ValidationReport, problem: Problem): void {
  if (problems.length < mostProblems) problems.push(problem)
}

/** Throws the reported problems, if any. */
export function assertClean({ problems }: ValidationReport): void {
  if (problems.length > 0) throw toError(problems)
}

/**
 * Builds the error `{"shapes":[{},{"points":["..."]}]}` with lists aligned by index, or a list of texts where the
 * contract requires it or an index is too high.
 */
function toError(problems: readonly Problem[]): DomainError {
  const code = problems[0]?.code
  const atFields = problems.filter((one) => !one.isWhole)
  const isAligned = atFields.every(({ path }) => path.every(isLow))
  const body = atFields.length > 0 && isAligned ? tree(atFields) : texts(problems)
  return new DomainError('invalid', 'Invalid annotations.', { code, body })
}

const isLow = (key: string | number) => typeof key === 'string' || key <= mostAligned

function texts(problems: readonly Problem[]): string[] {
  return [
    ...new Set(
      problems.map((one) => (one.isWhole ? one.text : `${formatPath(one.path)}: ${one.text}`)),
    ),
  ]
}

function tree(problems: readonly Problem[]): unknown {
  const root = new Map<string | number, Node>()
  for (const { path, text } of problems) plant(root, path, text)
  return render(root, '')
}

interface Node {
  texts: string[]
  children: Map<string | number, Node>
}

function plant(root: Map<string | number, Node>, path: FieldPath, text: string): void {
  let children = root
  let at: Node | undefined
  for (const key of path) {
    at = children.get(key) ?? { texts: [], children: new Map() }
    children.set(key, at)
    children = at.children
  }
  at?.texts.push(text)
}

/** Numbers below `points` are keys of an object, elsewhere indexes of a list. */
function render(children: Map<string | number, Node>, name: string): unknown {
  const shown = (key: string | number, child: Node) =>
    child.children.size > 0 ? render(child.children, String(key)) : child.texts
  const entries = [...children].map(([key, child]) => [key, shown(key, child)] as const)
  const isList = name !== 'points' && entries.every(([key]) => typeof key === 'number')
  if (!isList) return Object.fromEntries(entries)
  const byIndex = new Map<string | number, unknown>(entries)
  const length = Math.max(...entries.map(([key]) => Number(key))) + 1
  return Array.from({ length }, (_, index) => byIndex.get(index) ?? {})
}
