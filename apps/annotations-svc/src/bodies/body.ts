import { arrayOf, type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import {
  isBatch,
  MembersError,
  type RootMember,
  ScanError,
  scanArrays,
} from '@reticle/formats/json/scan'
import { DomainError, invalid } from '@reticle/kit'
import { createPacer } from '@reticle/kit/scheduling/pacer'
import { nameOf } from '../validation/fields.ts'
import { complainOfLength, mostNumbers } from '../validation/points.ts'
import { assertClean, createValidationReport } from '../validation/report.ts'

/** Some unchecked objects of one kind; `first` is the index of the first one in its array. */
export interface Batch {
  kind: RowKind
  items: readonly unknown[]
  first: number
}

const kindOf = new Map<string, RowKind>(rowKinds.map((kind) => [arrayOf[kind], kind]))
const selectedKeys = new Set(['version', 'intervals', ...kindOf.keys()])

/**
 * Parses an annotation set from the bytes of a body, about 64 KiB of objects at a time. Unknown members are ignored.
 *
 * @throws DomainError invalid: `parse_error`, or members of a wrong type
 */
export async function* readBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Batch> {
  const start: Start = { isEmpty: true }
  const source = scanArrays(watchStart(body, start), {
    selects: (key) => selectedKeys.has(key),
    pause: createPacer(),
    maxMembers: mostNumbers,
  })
  try {
    for await (const member of source) {
      const batch = readMember(member)
      if (batch) yield batch
    }
  } catch (thrown) {
    if (thrown instanceof MembersError) refuseMembers(thrown)
    if (thrown instanceof ScanError) throw notJson(thrown, start)
    throw thrown
  }
}

/** @throws DomainError invalid, with the same message as for points that were parsed and counted */
function refuseMembers({ path }: MembersError): void {
  const report = createValidationReport()
  const name = path.at(-1)
  report.path = typeof name === 'string' ? path.slice(0, -1) : [...path]
  complainOfLength(report, typeof name === 'string' ? name : 'non_field_errors')
  assertClean(report)
}

/** Replaces an empty body by `{}`. Not used for PUT, where a lost body must not delete everything. */
export async function* orNothing(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const start: Start = { isEmpty: true }
  yield* watchStart(body, start)
  if (start.isEmpty) yield Buffer.from('{}')
}

interface Start {
  isEmpty: boolean
  /** First chunk of the body without leading blanks. */
  first?: string
}

async function* watchStart(body: AsyncIterable<Uint8Array>, start: Start) {
  for await (const piece of body) {
    start.first ||= Buffer.from(piece).toString('latin1', 0, 100).trimStart()
    if (piece.length > 0) start.isEmpty = false
    yield piece
  }
}

const otherTypes: readonly (readonly [RegExp, string])[] = [
  [/^\[/, 'list'],
  [/^"/, 'str'],
  [/^null\b/, 'null'],
  [/^(?:true|false)\b/, 'bool'],
  [/^-?\d/, 'number'],
]

/** Names the type when the body is JSON but not an object; any other body is a parse error. */
function notJson({ reason, message }: ScanError, { first = '' }: Start): DomainError {
  const [, type] = otherTypes.find(([start]) => start.test(first)) ?? []
  if (reason === 'expected an object' && type) {
    return invalid({ non_field_errors: `Invalid data. Expected a dictionary, but got ${type}.` })
  }
  return new DomainError('invalid', `JSON parse error - ${message}`, { code: 'parse_error' })
}

function readMember(member: RootMember): Batch | undefined {
  const kind = kindOf.get(member.key)
  if (isBatch(member)) {
    if (kind) return { kind, items: member.items, first: member.first }
    if (member.key === 'intervals' && member.items.length === 0) return undefined
    if (member.key === 'intervals') throw invalid({ intervals: 'Intervals are not supported.' })
    throw invalid({ version: 'A valid integer is required.' })
  }
  if (member.key === 'version' && Number.isInteger(member.value)) return undefined
  if (member.key === 'version') throw invalid({ version: 'A valid integer is required.' })
  if (member.value === null) throw invalid({ [member.key]: 'This field may not be null.' })
  const type = nameOf(member.value)
  throw invalid({ [member.key]: `Expected a list of items but got type "${type}".` })
}
