import {
  type AnnotationRow,
  decodeRows,
  RowLinesError,
  rowKinds,
} from '@reticle/contracts/row-lines'
import { type CallContext, DomainError } from '@reticle/kit'
import { applyOnce } from '@reticle/kit/keys/applied-calls'
import type { Transaction } from 'kysely'
import type { Batch } from '../bodies/body.ts'
import { type Checker, type ObjectLimits, openChecker, readNew } from '../bodies/check.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps, Handlers } from '../deps.ts'
import { type Checked, objectOf } from '../reading/objects.ts'
import { labelsForWrite } from '../targets/labels.ts'
import { openTarget } from '../targets/target.ts'
import { notifyProjects, type WriteOutcome } from './commit.ts'
import { assertHasMedia, storeSet } from './write.ts'

type Input = Parameters<Handlers['writeRows']>[0]
type Written = Awaited<ReturnType<Handlers['writeRows']>>

/**
 * Writes row lines as annotations: validated like a PUT, in one transaction, once per `call_id`; a repeat returns the
 * first result. A dry run does the same and rolls back.
 */
export async function writeRows(deps: Deps, input: Input, context: CallContext): Promise<Written> {
  const waitMs = deps.settings.labelsLongWaitMs
  const target = await openTarget(deps, input, 'annotations:write', context, waitMs)
  assertHasMedia(target)
  const labels = await labelsForWrite(deps, target, context)
  const checker = openChecker(deps, target, labels, context, ofConverter)
  const written: Written = { tags: 0, shapes: 0, tracks: 0, duplicates: 0 }
  const source = checkRows(input.body, checker, written)
  const { mode, if_match, rq_id, keeps_state } = input
  const write = {
    target,
    source,
    if_match,
    labels,
    rq_id,
    keeps_state,
    isReplacement: mode === 'replace',
    action: 'import' as const,
    ids: deps.ids.open(),
    ...(mode === 'merge' && { onDuplicates: subtractFrom(written) }),
  }
  let outcome: WriteOutcome | undefined
  const answer = await inTransactionOrDry(deps, input, (tx) =>
    applyOnce(tx, input.call_id, async () => {
      outcome = await storeSet(tx, deps, write, context)
      return written
    }),
  )
  if (outcome && !input.dry_run) await notifyProjects(deps, outcome, context)
  return answer
}

/** Files are limited where they are read, so no limits apply here. */
const ofConverter: ObjectLimits = {
  objects: Number.POSITIVE_INFINITY,
  numbers: Number.POSITIVE_INFINITY,
}

/** Carries the result of a dry run out of the transaction, which it rolls back. */
class DryRun extends Error {
  readonly written: Written
  constructor(written: Written) {
    super('a dry run is undone')
    this.written = written
  }
}

async function inTransactionOrDry(
  { bulk }: Pick<Deps, 'bulk'>,
  { dry_run = false }: Pick<Input, 'dry_run'>,
  write: (tx: Transaction<AnnotationsDb>) => Promise<Written>,
): Promise<Written> {
  try {
    return await bulk.transaction().execute(async (tx) => {
      const written = await write(tx)
      if (dry_run) throw new DryRun(written)
      return written
    })
  } catch (thrown) {
    if (thrown instanceof DryRun) return thrown.written
    throw thrown
  }
}

const subtractFrom =
  (written: Written) =>
  ({ tags, shapes, tracks }: Pick<Written, 'tags' | 'shapes' | 'tracks'>): void => {
    written.tags -= tags
    written.shapes -= shapes
    written.tracks -= tracks
    written.duplicates += tags + shapes + tracks
  }

async function* checkRows(
  body: AsyncIterable<Uint8Array>,
  { check }: Checker,
  written: Written,
): AsyncGenerator<Checked[]> {
  const counts = { tag: 0, shape: 0, track: 0 }
  for await (const rows of readable(body)) {
    for (const kind of rowKinds) {
      const own = rows.filter((row) => row.kind === kind)
      if (own.length === 0) continue
      const batch: Batch = {
        kind,
        items: own.map((row) => objectOf(row).object),
        first: counts[kind],
      }
      counts[kind] += own.length
      yield await check(batch, readNew)
    }
  }
  Object.assign(written, { tags: counts.tag, shapes: counts.shape, tracks: counts.track })
}

async function* readable(body: AsyncIterable<Uint8Array>): AsyncGenerator<AnnotationRow[]> {
  try {
    yield* decodeRows(body)
  } catch (thrown) {
    if (thrown instanceof RowLinesError) throw new DomainError('invalid', thrown.message)
    throw thrown
  }
}
