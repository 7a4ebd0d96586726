import { decodeRows, type Row, RowLinesError, rowKinds } from '@reticle/contracts/row-lines'
import { type Context, DomainError } from '@reticle/kit'
import { applyOnce } from '@reticle/kit/outbox/calls'
import type { Deps, Handlers } from '../deps.ts'
import { type Checked, objectOf } from '../reading/objects.ts'
import { labelsForWrite } from '../targets/labels.ts'
import { openTarget } from '../targets/target.ts'
import type { Batch } from './body.ts'
import { type Checker, openChecker, readNew } from './check.ts'
import { type Outcome, tellProjects } from './commit.ts'
import { assertHasMedia, storeSet } from './write.ts'

type Input = Parameters<Handlers['writeRows']>[0]
type Written = { tags: number; shapes: number; tracks: number }

/**
 * Row lines become annotations: validated as a PUT is, in one transaction, once for each `call_id`; a repeat is answered
 * what the first call was.
 */
export async function writeRows(deps: Deps, input: Input, context: Context): Promise<Written> {
  const target = await openTarget(deps, input, 'annotations:write', context)
  assertHasMedia(target)
  const labels = await labelsForWrite(deps, target, context)
  const checker = openChecker(deps, target, labels, context)
  const written: Written = { tags: 0, shapes: 0, tracks: 0 }
  const source = checkRows(input.body, checker, written)
  let outcome: Outcome | undefined
  const answer = await deps.bulk.transaction().execute((tx) =>
    applyOnce(tx, input.call_id, async () => {
      const isReplacement = input.mode === 'replace'
      const { if_match } = input
      const write = {
        target,
        source,
        isReplacement,
        action: 'import' as const,
        if_match,
        labels,
        rq_id: input.rq_id,
        ids: deps.ids.open(),
      }
      outcome = await storeSet(tx, deps, write, context)
      return written
    }),
  )
  if (outcome) await tellProjects(deps, outcome, context)
  return answer
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

async function* readable(body: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
  try {
    yield* decodeRows(body)
  } catch (thrown) {
    if (thrown instanceof RowLinesError) throw new DomainError('invalid', thrown.message)
    throw thrown
  }
}
